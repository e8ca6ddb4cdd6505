import { z } from '@hono/zod-openapi'
import { defineRoute, ok } from '../../define-route.ts'

const AuthStatus = z
  .object({
    enabled: z.boolean(),
    scheme: z.enum(['bearer']).nullable(),
    authenticated: z.boolean().meta({ description: 'Whether this request came with a good token' }),
  })
  .meta({ id: 'AuthStatus', description: 'Whether one has to sign in, and whether one has' })

export const getAuthStatusRoute = defineRoute(
  {
    operationId: 'getAuthStatus',
    method: 'get',
    path: '/auth/status',
    tags: ['auth'],
    access: 'read',
    auth: 'public',
    summary: 'Say whether authentication is on',
    responses: { 200: ok(AuthStatus, 'The state of authentication, and of the caller') },
  },
  async (c) => {
    const { enabled } = c.get('deps').auth
    c.header('Cache-Control', 'no-store')
    return c.json(
      { enabled, scheme: enabled ? ('bearer' as const) : null, authenticated: c.get('actor').auth !== 'none' },
      200,
    )
  },
)
