import type { ConsolePolicy } from '#core/policy/console-schema.ts'
import type { ListPage } from '../list-page.ts'
import type { PolicyPortsContext } from './policy-ports.ts'
import { toPolicyRecord } from './policy-record.ts'

/** All policies that the console of the caller's workspace holds, in the order of their names. */
export async function listConsolePolicies(ctx: PolicyPortsContext): Promise<ListPage<ConsolePolicy>> {
  const { store, layers } = ctx.policy_ports
  const [rows, below] = await Promise.all([store.list(ctx.workspace_id), layers()])
  const items = await Promise.all(rows.map((row) => toPolicyRecord(ctx, row, below)))
  return { items, total: { count: items.length, capped: false } }
}
