import type { ActionInput } from '#core/action-contract.ts'
import type { NoticeView } from '#services/approvals/notice-gates.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import type { NoticeDeps } from './deps.ts'

/** The gate that a claim is about, if it is the one that it says. */
export async function claimedGate(
  { gates, claims }: NoticeDeps,
  { gate_id, run_id, workspace_id }: ActionInput,
): Promise<NoticeView> {
  const gate = await gates.find(gate_id)
  if (gate?.run_id !== run_id) throw await refuseClaim(claims, 'foreign_gate', run_id, { gate_id })
  if (gate.workspace_id !== workspace_id) throw await refuseClaim(claims, 'foreign_workspace', run_id, { gate_id })
  return gate
}
