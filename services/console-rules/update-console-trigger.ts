import type { ConsoleRule } from '#core/trigger/console-schema.ts'
import { authoredAudit, authorOf, overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import { checkRule } from './check-rule.ts'
import type { RulePortsContext } from './rule-ports.ts'
import { findRule, toRuleRecord } from './rule-record.ts'

/** Puts another text in the place of a rule's. Throws `version_conflict`, or `conflict` when somebody was faster. */
export async function updateConsoleTrigger(
  ctx: RulePortsContext,
  { name, if_match, document }: { name: string; if_match?: string | undefined; document: string },
): Promise<ConsoleRule> {
  const { row: current, etag } = await findRule(ctx, name)
  mustMatch(if_match, etag)
  checkRule(ctx, { document, name })
  const author = authorOf(ctx)
  const audit = authoredAudit(ctx, {
    action: 'rule.updated',
    subject: { type: 'rule', id: `console/${ctx.workspace_id}/rules/${name}` },
    before: current.document,
    after: document,
    data: { name, author },
  })
  const draft = { name, document, author, before: current.document }
  const row = await ctx.rule_ports.store.replace(ctx.workspace_id, draft, audit)
  if (row === undefined) throw overtaken()
  ctx.console_rules.invalidate(ctx.workspace_id)
  return toRuleRecord(ctx, row)
}
