import { z } from 'zod'
import type { Contributor } from '../gate/contributors.ts'
import { AUTHORED } from '../policy/console-schema.ts'
import type { TriggerRule } from './rule.ts'
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

/** Returns the authors of a rule of the console. Rules of files and packs belong to the deployment. */
export function ruleAuthors({ name, authors }: Pick<TriggerRule, 'name' | 'authors'>): { shaped_by?: Contributor[] } {
  if (authors === undefined) return {}
  return { shaped_by: authors.map((id) => ({ id, did: 'wrote_rule', what: name })) }
}
