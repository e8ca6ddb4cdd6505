import { z } from '@hono/zod-openapi'
import { Preset, PresetQuery } from '#core/preset/schema.ts'
import { listPresets } from '#services/presets/list-presets.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { TOTAL } from '../../schemas/authored.ts'

export const listInputPresetsRoute = defineRoute(
  {
    operationId: 'listInputPresets',
    method: 'get',
    path: '/console/api/input-presets',
    tags: ['presets'],
    access: 'read',
    auth: 'user',
    summary: 'List the input presets of the workspace, by template and name',
    description:
      'Inputs that people keep for the form of a template. A form loads them; starts know nothing of them. There are at most 200.',
    request: { query: PresetQuery },
    responses: { 200: { ...ok(z.array(Preset), 'The presets'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listPresets({ ...c.get('ctx'), ...c.get('deps').authoring }, 'input', c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
