import { z } from '@hono/zod-openapi'
import { ApiKey } from '#core/api-key/schema.ts'
import { listApiKeys } from '#services/api-keys/list-api-keys.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

export const listApiKeysRoute = defineRoute(
  {
    operationId: 'listApiKeys',
    method: 'get',
    path: '/admin/api-keys',
    tags: ['admin'],
    access: 'read',
    auth: 'admin',
    scope: 'account',
    summary: 'List API keys, newest first',
    description:
      'Those that may be used in the workspaces that you may enter, also those that have ended. Of a key itself only its beginning is known.',
    request: { query: z.object({ ...pageQuery }) },
    responses: { 200: listOf(ApiKey, 'API keys') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listApiKeys({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
