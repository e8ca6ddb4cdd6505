import type { GateCommand, RefusedCommand } from '#core/contract.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import { countApprovals, countedVotes, missingPart, refusal, tally } from '#core/gate/tally.ts'
import type { GatePatch } from '#core/run/patch.ts'
import type { GateState } from '#store/gates/gate-decisions.ts'
import { isVote, readVoters, voteNow, votesOf } from './current-votes.ts'
import type { GateChange } from './gate-patch.ts'
import type { RecordDeps } from './record-deps.ts'

type Cast = Required<Pick<GateChange, 'vote' | 'resolution' | 'cause' | 'approvals'>> &
  Pick<GateChange, 'counted'> &
  Pick<GatePatch, 'expect'>

/** Returns the effect of a command on a gate, with every recorded vote counted by its voter's current authority. Changes nothing. */
export async function castVote(
  deps: RecordDeps,
  { workspace_id, gate, command }: { workspace_id: string; gate: GateState; command: GateCommand },
): Promise<Cast | RefusedCommand> {
  const { required, answers } = gate
  const requesters = barredFrom(required, gate.provenance)
  const voters = await readVoters(deps, workspace_id, [...answers.map((row) => row.command), command])
  const counted = votesOf(deps, gate, voters)
  const expect = { votes: answers.length, people: voters.names, versions: voters.versions }
  if (!isVote(command)) {
    const cause = command.kind === 'dismiss' ? 'dismissed' : 'condition_cleared'
    return { vote: null, resolution: 'expired', cause, approvals: countApprovals(required, counted, requesters) }
  }
  const own = voteNow(deps, gate, { command, voters })
  if (own === undefined) return { refused: 'approver_not_allowed' }
  const code = missingPart(required, command) ?? refusal(required, counted, own, requesters)
  if (code !== undefined) return { refused: code }
  const votes = [...counted, own]
  const result = tally(required, votes, requesters)
  return {
    vote: command,
    resolution: result === 'open' ? null : result,
    cause: null,
    approvals: countApprovals(required, votes, requesters),
    counted: countedVotes(required, votes, requesters),
    expect,
  }
}
