import { z } from '@hono/zod-openapi'
import { GatewaySummary, SUMMARY_WINDOWS } from '#core/models/gateway-summary-schema.ts'
import { getGatewaySummary } from '#services/models/get-gateway-summary.ts'
import { defineRoute, ok } from '../../define-route.ts'

const Time = z.iso.datetime({ offset: true })

export const getGatewaySummaryRoute = defineRoute(
  {
    operationId: 'getGatewaySummary',
    method: 'get',
    path: '/console/api/gateway/summary',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    summary: 'What calls of models cost, by model, run, person and day, and what was refused',
    description:
      'Of this workspace. A window ends now; or say `from` and `to`, at most 92 days apart. At most 200,000 calls are added up, the newest; `complete` says whether those were all. Refusals appear some seconds after they happen.',
    request: {
      query: z.object({
        window: z
          .enum(SUMMARY_WINDOWS)
          .optional()
          .meta({ description: 'Default: `7d`, unless `from` or `to` is given', example: '7d' }),
        from: Time.optional().meta({ description: 'Calls since then', example: '2026-11-01T00:00:00Z' }),
        to: Time.optional().meta({ description: 'Calls before then', example: '2026-12-01T00:00:00Z' }),
        limit: z.coerce
          .number()
          .int()
          .min(1)
          .max(100)
          .default(20)
          .meta({ description: 'Entries by model, by run and by person, the dearest first' }),
      }),
    },
    responses: { 200: ok(GatewaySummary, 'The sums') },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').models }
    return c.json(await getGatewaySummary(ctx, c.req.valid('query')), 200)
  },
)
