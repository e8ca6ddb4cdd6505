import { z } from '@hono/zod-openapi'
import { may } from '#services/auth/may.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { HealthReport, toHealthReport } from '../../schemas/health.ts'

export const getHealthRoute = defineRoute(
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/healthz',
    tags: ['meta'],
    access: 'read',
    auth: 'public',
    summary: 'Say whether runs can be admitted and carried out',
    description: 'Public. `?verbose` adds details for whoever is signed in; others get the plain answer.',
    request: {
      query: z.object({
        verbose: z
          .string()
          .max(10)
          .optional()
          .meta({ description: 'Adds the details of each check, the lanes, what does not load, and versions' }),
      }),
    },
    responses: {
      200: ok(HealthReport, 'Everything answers'),
      503: ok(HealthReport, 'Something does not; `checks` says what'),
    },
  },
  async (c) => {
    const { health: check, describe } = c.get('deps')
    const verbose = c.req.valid('query').verbose !== undefined && may(c.get('actor'), 'user')
    const everywhere = c.get('actor').workspaces === '*'
    const [health, deployment] = await Promise.all([
      check(),
      verbose ? describe(c.get('ctx').workspace_id, everywhere) : undefined,
    ])
    c.header('Cache-Control', 'no-store')
    return c.json(toHealthReport(health, deployment), health.status === 'ok' ? 200 : 503)
  },
)
