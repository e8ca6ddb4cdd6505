import { z } from '@hono/zod-openapi'
import { EnvironmentRecord } from '#core/environment-console-schema.ts'
import { environmentKind } from '#services/settings/environment-kind.ts'
import { listSettings } from '#services/settings/list-settings.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { TOTAL } from '../../schemas/authored.ts'

export const listEnvironmentsRoute = defineRoute(
  {
    operationId: 'listEnvironments',
    method: 'get',
    path: '/ui/api/environments',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List environments as they are in force, by name',
    description: 'Those that runs of the workspace may use; all of them for who may enter all workspaces.',
    responses: { 200: { ...ok(z.array(EnvironmentRecord), 'The environments'), headers: TOTAL } },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const page = await listSettings(ctx, environmentKind(ctx))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
