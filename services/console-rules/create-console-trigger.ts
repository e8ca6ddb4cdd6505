import { DomainError } from '#core/errors.ts'
import type { ConsoleRule } from '#core/trigger/console-schema.ts'
import { authoredAudit, authorOf } from '../authored-document.ts'
import { checkRule } from './check-rule.ts'
import { getConsoleTrigger } from './get-console-trigger.ts'
import type { RulePortsContext } from './rule-ports.ts'
import { toRuleRecord } from './rule-record.ts'

/** As many rules as the console of a workspace holds. */
const MOST_RULES = 200

/** Stores a rule of the caller's workspace, which is tried before those of files and packs. Throws `conflict` for a name that is taken. */
export async function createConsoleTrigger(ctx: RulePortsContext, document: string): Promise<ConsoleRule> {
  const { store } = ctx.rule_ports
  const { done } = ctx.attempt ?? {}
  if (done !== undefined) return await getConsoleTrigger(ctx, String(done.data['name']))
  const name = checkRule(ctx, { document })
  if ((await store.list(ctx.workspace_id)).length >= MOST_RULES)
    throw new DomainError('conflict', `The limit of ${MOST_RULES} rules is reached.`)
  const author = authorOf(ctx)
  const audit = authoredAudit(ctx, {
    action: 'rule.created',
    subject: { type: 'rule', id: `console/${ctx.workspace_id}/rules/${name}` },
    after: document,
    data: { name, author },
  })
  const row = await store.create(ctx.workspace_id, { name, document, author }, audit)
  if (row === undefined) throw new DomainError('conflict', `There is a rule ${name} already.`)
  ctx.console_rules.invalidate(ctx.workspace_id)
  return toRuleRecord(ctx, row)
}
