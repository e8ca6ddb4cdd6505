import { z } from '@hono/zod-openapi'
import { ACTED_STAGES } from '#core/ingress/trace-schema.ts'
import { SIGNAL_OUTCOMES } from '#core/trigger/outcome.ts'

export const IngressAnswer = z
  .object({
    delivery_id: z.string().meta({ example: 'dlv_01jd4c2v7m8k9h3r5t6w1x0y2z' }),
    outcome: z.enum(SIGNAL_OUTCOMES),
    run_id: z.string().optional(),
    attached_count: z.int().optional(),
    rule: z.string().optional(),
    detail: z.string().optional().meta({ description: 'Why no run was started' }),
    stopped_at: z
      .enum(ACTED_STAGES)
      .optional()
      .meta({ description: 'Where it ended, when it came to no rule or to no run' }),
  })
  .meta({ id: 'IngressAnswer', description: 'What became of a signed delivery; a repeated one gets the first answer.' })

export const Challenge = z
  .object({ challenge: z.string() })
  .meta({ id: 'IngressChallenge', description: 'The text that a sender asked to have back.' })
