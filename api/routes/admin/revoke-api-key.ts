import { z } from '@hono/zod-openapi'
import { ApiKeyId } from '#core/api-key/schema.ts'
import { revokeApiKey } from '#services/api-keys/revoke-api-key.ts'
import { defineRoute } from '../../define-route.ts'

export const revokeApiKeyRoute = defineRoute(
  {
    operationId: 'revokeApiKey',
    method: 'delete',
    path: '/admin/api-keys/{id}',
    tags: ['admin'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Revoke an API key',
    description:
      'It lets nobody in any more, in any process, from the answer on. Runs that were asked for with it do nothing further until an owner answers for them, or end, as their environment says (`on_lost_standing`).',
    request: { params: z.object({ id: ApiKeyId }) },
    responses: { 204: { description: 'The key is revoked' } },
  },
  async (c) => {
    await revokeApiKey({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('param').id)
    return c.body(null, 204)
  },
)
