import { z } from '@hono/zod-openapi'
import { checkHealth } from '#services/health/check-health.ts'
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
    request: {
      query: z.object({
        verbose: z.string().max(10).optional().meta({ description: 'Adds the details of each check' }),
      }),
    },
    responses: {
      200: ok(HealthReport, 'Everything answers'),
      503: ok(HealthReport, 'Something does not; `checks` says what'),
    },
  },
  async (c) => {
    const health = await checkHealth(c.get('deps').health)
    c.header('Cache-Control', 'no-store')
    return c.json(
      toHealthReport(health, c.req.valid('query').verbose !== undefined),
      health.status === 'ok' ? 200 : 503,
    )
  },
)
