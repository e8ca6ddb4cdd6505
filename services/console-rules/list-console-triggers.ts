import type { ConsoleRule } from '#core/trigger/console-schema.ts'
import type { ListPage } from '../list-page.ts'
import type { RulePortsContext } from './rule-ports.ts'
import { toRuleRecord } from './rule-record.ts'

/** All rules that the console of the caller's workspace holds, in the order in which they are tried. */
export async function listConsoleTriggers(ctx: RulePortsContext): Promise<ListPage<ConsoleRule>> {
  const rows = await ctx.rule_ports.store.list(ctx.workspace_id)
  return { items: rows.map((row) => toRuleRecord(ctx, row)), total: { count: rows.length, capped: false } }
}
