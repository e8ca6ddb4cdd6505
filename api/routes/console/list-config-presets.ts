import { z } from '@hono/zod-openapi'
import { Preset, PresetQuery } from '#core/preset/schema.ts'
import { listPresets } from '#services/presets/list-presets.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { TOTAL } from '../../schemas/authored.ts'

export const listConfigPresetsRoute = defineRoute(
  {
    operationId: 'listConfigPresets',
    method: 'get',
    path: '/console/api/config-presets',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'List the config presets of the workspace, by template and name',
    description:
      'A start names one (`config_preset`), and the server fills in the inputs that the start does not name. The default one is taken by starts that name none. There are at most 200.',
    request: { query: PresetQuery },
    responses: { 200: { ...ok(z.array(Preset), 'The presets'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listPresets({ ...c.get('ctx'), ...c.get('deps').authoring }, 'config', c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
