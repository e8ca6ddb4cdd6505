import { z } from 'zod'

export const SkillStarter = z
  .object({
    id: z.string().meta({ example: 'sre/morning-check' }),
    description: z.string(),
    layer: z.enum(['pack', 'overlay']),
    file: z.string(),
    run: z.string().meta({ description: 'The template that it starts', example: 'sre/service-recovery' }),
    environment: z.string().optional(),
    profile: z.string().optional(),
    dry_run: z.boolean(),
    schedule: z
      .string()
      .optional()
      .meta({ description: 'The schedule that fires it, under whose name its runs start' }),
    on: z.array(z.string()).meta({ description: 'Topics that fire it' }),
    account: z
      .string()
      .optional()
      .meta({ description: 'Who starts its runs when an event fires it', example: 'skill:sre/morning-check' }),
    last: z
      .object({
        at: z.iso.datetime(),
        topic: z.string(),
        outcome: z.string().meta({ description: '`working` until it is settled' }),
        reason: z.string().optional(),
        run_id: z.string().optional(),
      })
      .optional()
      .meta({ description: 'The last event in this workspace, of thirty days' }),
  })
  .meta({ id: 'SkillStarter', description: 'A skill that starts runs.' })
export type SkillStarter = z.output<typeof SkillStarter>
