import { DomainError } from '#core/errors.ts'
import { AuthoredName } from '#core/policy/console-schema.ts'
import type { ConsoleRule } from '#core/trigger/console-schema.ts'
import { authoredAudit, authorOf, mustMatch, overtaken, refuseFaults } from '../authored-document.ts'
import type { ListPage } from '../list-page.ts'
import type { RulePortsContext } from './rule-ports.ts'
import { findRule, toRuleRecord, usable } from './rule-record.ts'

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

/** All rules that the console of the caller's workspace holds, in the order in which they are tried. */
export async function listConsoleTriggers(ctx: RulePortsContext): Promise<ListPage<ConsoleRule>> {
  const rows = await ctx.rule_ports.store.list(ctx.workspace_id)
  return { items: rows.map((row) => toRuleRecord(ctx, row)), total: { count: rows.length, capped: false } }
}

/** One rule of the console, with what is wrong with it by now. */
export async function getConsoleTrigger(ctx: RulePortsContext, name: string): Promise<ConsoleRule> {
  const { row } = await findRule(ctx, name)
  return toRuleRecord(ctx, row)
}

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

/**
 * The name of the rule in a text. Throws `validation_failed` for everything that is wrong with it or that it names and is not there:
 * a rule that cannot start anything would stand before those that can, and its alerts would be lost.
 */
function checkRule(ctx: RulePortsContext, { document, name }: { document: string; name?: string }): string {
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
