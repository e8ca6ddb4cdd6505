import { z } from '@hono/zod-openapi'
import { Run, RunId } from '#core/run/schema.ts'
import { SIGNAL_OUTCOMES } from '#core/trigger/outcome.ts'

/** A delivery that is committed and will be processed later; only with the inbox. */
export const QueuedDelivery = z
  .object({ delivery_id: z.string(), outcome: z.literal('received') })
  .meta({ id: 'QueuedDelivery', description: 'Committed to the inbox; its outcome is shown there.' })

export const StartedRun = z
  .object({ run_id: RunId, status: Run.shape.status, delivery_id: z.string().optional() })
  .meta({ id: 'StartedRun', description: 'A run that has not ended, and its state.' })

export const PatternResult = z
  .object({
    fingerprint: z.string().meta({ example: 'pattern|checkout|serviceunhealthy' }),
    outcome: z.enum(SIGNAL_OUTCOMES).exclude(['resolved']),
    run_id: RunId.optional(),
    attached_count: z.int().optional(),
    rule: z.string().optional(),
    detail: z.string().optional().meta({ description: 'Why no run was started' }),
    delivery_id: z.string().optional().meta({ description: 'In the inbox' }),
  })
  .meta({ id: 'PatternResult', description: 'The outcome of a pattern.' })
