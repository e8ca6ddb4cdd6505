import { AuthoredName } from '#core/policy/console-schema.ts'
import { authorOf, refuseFaults } from '../authored-document.ts'
import type { RulePortsContext } from './rule-ports.ts'
import { usable } from './rule-record.ts'

/**
 * The name of the rule in a text. Throws `validation_failed` for everything that is wrong with it or that it names and is not there:
 * a rule that cannot start anything would stand before those that can, and its alerts would be lost.
 */
export function checkRule(ctx: RulePortsContext, { document, name }: { document: string; name?: string }): string {
  const { rule, faults } = ctx.rule_ports.lint(document, { author: authorOf(ctx), environments: usable(ctx) })
  refuseFaults(faults)
  const file = 'rule'
  if (rule === undefined) throw new Error('a rule that is not sound has no fault')
  const named = AuthoredName.safeParse(rule.name)
  if (!named.success)
    refuseFaults(named.error.issues.map(({ message }) => ({ file, message: `the name ${rule.name} ${message}` })))
  if (name !== undefined && rule.name !== name)
    refuseFaults([
      { file, message: `the document says ${JSON.stringify(rule.name)}, it is stored as ${JSON.stringify(name)}` },
    ])
  return rule.name
}
