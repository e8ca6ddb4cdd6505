import { z } from 'zod'
import { RUN_STATUSES } from '#core/run/status.ts'

/** The most that a tool hands over at once. */
export const MOST_ROWS = 20

export const Limit = z.int().min(1).max(MOST_ROWS).default(10).meta({ description: 'How many at most' })
export const RunIdInput = z.string().regex(/^run_[0-9a-z]{26}$/).meta({ description: 'Id of a run, run_…' })
export const TemplateName = z
  .string()
  .regex(/^[a-z0-9-]{1,64}\/[a-z0-9-]{1,64}$/)
  .meta({ description: 'pack/template' })
export const SinceHours = z.number().gt(0).max(24 * 366).meta({ description: 'Only what began in the last so many hours' })

/** What narrows runs. */
export const RUN_FILTER = {
  status: z.enum(RUN_STATUSES).optional(),
  template: TemplateName.optional(),
  environment: z.string().max(100).optional(),
  trigger: z.string().max(20).optional().meta({ description: 'What started it: alert, schedule, manual, direct, …' }),
  since_hours: SinceHours.optional(),
  text: z.string().min(1).max(200).optional().meta({ description: 'In the id, template, reason or failure' }),
}
