import { authoredAudit, overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import type { RulePortsContext } from './rule-ports.ts'
import { findRule } from './rule-record.ts'

/** Deletes a rule; the runs that it started stay. */
export async function deleteConsoleTrigger(
  ctx: RulePortsContext,
  { name, if_match }: { name: string; if_match?: string | undefined },
): Promise<void> {
  const { row, etag } = await findRule(ctx, name)
  mustMatch(if_match, etag)
  const audit = authoredAudit(ctx, {
    action: 'rule.deleted',
    subject: { type: 'rule', id: `console/${ctx.workspace_id}/rules/${name}` },
    before: row.document,
    data: { name, author: row.author },
  })
  const removed = await ctx.rule_ports.store.remove(ctx.workspace_id, { name, before: row.document }, audit)
  if (!removed) throw overtaken()
  ctx.console_rules.invalidate(ctx.workspace_id)
}
