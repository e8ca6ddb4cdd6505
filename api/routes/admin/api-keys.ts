import { z } from '@hono/zod-openapi'
import { ApiKey, ApiKeyDraft, ApiKeyId, CreatedApiKey } from '#core/api-key/schema.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '#services/api-keys/api-keys.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

export const revokeApiKeyRoute = defineRoute(
  {
    operationId: 'revokeApiKey',
    method: 'delete',
    path: '/admin/api-keys/{id}',
    tags: ['admin'],
    verb: revokeApiKey,
    summary: 'Revoke an API key',
    description:
      'It is invalid in every process from the answer on. Runs that were requested with it do nothing further until an owner answers for them, or end, as their environment configures (`on_lost_standing`).',
    request: { params: z.object({ id: ApiKeyId }) },
    responses: { 204: { description: 'The key is revoked' } },
  },
  async (c) => {
    await revokeApiKey({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('param').id)
    return c.body(null, 204)
  },
)

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

// no Idempotency-Key: its first answer would be kept, and the key with it. A repeat makes another key.
export const createApiKeyRoute = defineRoute(
  {
    operationId: 'createApiKey',
    method: 'post',
    path: '/admin/api-keys',
    tags: ['admin'],
    verb: createApiKey,
    summary: 'Make an API key of a service account',
    description:
      'Answers with the key, shown this once: send it as a bearer token. It can do what both its scopes and the roles of its account allow, until it expires or is revoked. It takes a person who is signed in: no key makes a key.',
    request: { body: json(ApiKeyDraft) },
    responses: { 201: ok(CreatedApiKey, 'The key, and what lets its holder in; `Cache-Control: no-store`') },
    problems: ['not_configured'],
    max_body_bytes: 8_192,
  },
  async (c) => {
    const made = await createApiKey({ ...c.get('ctx'), ...c.get('deps').identity }, c.req.valid('json'))
    c.header('Cache-Control', 'no-store')
    return c.json(made, 201)
  },
)
