import { ApiKeyDraft, CreatedApiKey } from '#core/api-key/schema.ts'
import { createApiKey } from '#services/api-keys/create-api-key.ts'
import { defineRoute, json, ok } from '../../define-route.ts'

// no Idempotency-Key: its first answer would be kept, and the key with it. A repeat makes another key.
export const createApiKeyRoute = defineRoute(
  {
    operationId: 'createApiKey',
    method: 'post',
    path: '/admin/api-keys',
    tags: ['admin'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
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
