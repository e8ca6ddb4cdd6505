import type { ConsolePolicy } from '#core/policy/console-schema.ts'
import { findPolicy } from './find-policy.ts'
import type { PolicyPortsContext } from './policy-ports.ts'
import { toPolicyRecord } from './policy-record.ts'

/** One policy of the console, with what is wrong with it by now. */
export async function getConsolePolicy(ctx: PolicyPortsContext, name: string): Promise<ConsolePolicy> {
  const { row } = await findPolicy(ctx, name)
  return await toPolicyRecord(ctx, row, await ctx.policy_ports.layers())
}
