import { z } from 'zod'
import { AUTHORED } from '../policy/console-schema.ts'
import { RuleSpec } from './rule-schema.ts'

/** A rule that was authored in the console. */
export const ConsoleRule = z
  .object({
    name: z.string().meta({ example: 'checkout-down' }),
    workspace_id: z.string(),
    on: RuleSpec.shape.on.optional().meta({ description: 'Absent while the rule is broken; it then fits nothing' }),
    run: z.string().optional().meta({ description: 'The template that it starts', example: 'sre/service-recovery' }),
    description: z.string().optional(),
    environment: z.string().optional(),
    profile: z.string().optional(),
    ...AUTHORED,
  })
  .meta({ id: 'ConsoleRule', description: 'A rule that was authored in the console.' })
export type ConsoleRule = z.output<typeof ConsoleRule>
