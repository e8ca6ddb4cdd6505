import { z } from '@hono/zod-openapi'
import { SIGNAL_OUTCOMES } from '#core/trigger/outcome.ts'

export const AlertResults = z
  .object({
    results: z.array(
      z.object({
        fingerprint: z.string().meta({ example: 'alertmanager|checkout|HighErrorRate' }),
        outcome: z.enum(SIGNAL_OUTCOMES),
        run_id: z.string().optional(),
        attached_count: z.int().optional(),
        rule: z.string().optional(),
        detail: z.string().optional().meta({ description: 'Why no run was started' }),
      }),
    ),
    delivery_id: z.string().optional().meta({ description: 'Place in the inbox, where there is one' }),
    outcome: z
      .literal('received')
      .optional()
      .meta({ description: 'Kept in the inbox; what becomes of it is not known yet' }),
    truncated: z.int().optional().meta({ description: 'Alerts that the sender says it has left out' }),
  })
  .meta({ id: 'AlertResults', description: 'What became of each alert, in the order received.' })
