import type { ConsoleRule } from '#core/trigger/console-schema.ts'
import type { RulePortsContext } from './rule-ports.ts'
import { findRule, toRuleRecord } from './rule-record.ts'

/** One rule of the console, with what is wrong with it by now. */
export async function getConsoleTrigger(ctx: RulePortsContext, name: string): Promise<ConsoleRule> {
  const { row } = await findRule(ctx, name)
  return toRuleRecord(ctx, row)
}
