import type { CancelCommand, GateCommand } from '../contract.ts'
import { canonicalText } from '../json/canonical-text.ts'
import { missing } from './requirement.ts'
import { refusal, type Vote } from './tally.ts'
import type { Required } from './types.ts'

/** Whether an approval by this voter would be taken now, and bring the gate nearer to its end. */
export function mayAnswer(
  required: Required,
  votes: readonly Vote[],
  vote: Omit<Vote, 'decision'>,
  requesters: readonly string[],
): boolean {
  const approval: Vote = { ...vote, decision: 'approve' }
  if (refusal(required, votes, approval, requesters) !== undefined) return false
  const before = missing(required, votes, requesters)
  const after = missing(required, [...votes, approval], requesters)
  return after.approvals < before.approvals || after.roles.length < before.roles.length
}

/** What the API signs about a command: all of it, for one run. */
export function commandText(runId: string, command: GateCommand | CancelCommand): string {
  const { signature: _signature, ...signed } = command
  return canonicalText({ run_id: runId, ...JSON.parse(JSON.stringify(signed)) })
}
