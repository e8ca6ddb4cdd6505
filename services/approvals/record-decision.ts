import type { CommandRefusal, DecisionClaim, GateCommand, GateOutcome, RefusedCommand } from '#core/contract.ts'
import { attribute, BY_TEMPORAL } from '#core/gate/attribute.ts'
import { GateCommandShape, GateSignalShape } from '#core/gate/command-schema.ts'
import type { ClaimKind } from '#core/gate/types.ts'
import { cutText } from '#core/text/text.ts'
import { isoOfDatabase } from '#core/time/time.ts'
import type { GateState, RunState } from '#store/gates/gate-decisions.ts'
import { castVote } from './cast-vote.ts'
import { expireDueGate } from './expire-gate.ts'
import { decisionAnswer } from './gate-decision.ts'
import { gatePatch } from './gate-patch.ts'
import { announce, type RecordDeps } from './record-deps.ts'
import { ClaimRefused, claimedRun, refuseClaim } from './refuse-claim.ts'

type Answer = GateOutcome | RefusedCommand

const CODE_OF: Record<ClaimKind, CommandRefusal> = {
  unknown_shape: 'validation_failed',
  unknown_run: 'not_found',
  foreign_workspace: 'not_found',
  foreign_workflow: 'not_found',
  foreign_gate: 'gate_resolved',
  bad_signature: 'approver_not_allowed',
  not_signed: 'approver_not_allowed',
  not_allowed: 'approver_not_allowed',
  not_awaiting: 'run_not_awaiting',
  not_cancelling: 'conflict',
  plan_changed: 'plan_changed',
  unknown_notice: 'not_found',
  unknown_schedule: 'not_found',
  unknown_pipeline: 'not_found',
  not_due: 'conflict',
  not_scheduled: 'conflict',
  unknown_job: 'not_found',
  job_ended: 'conflict',
  other_execution: 'conflict',
}

/**
 * The only writer of people's decisions about a gate. Takes the decision if its signature and its voter hold, counts all recorded votes
 * again, and writes the result; the counted votes are checked again under the lock. Repeating it is harmless.
 */
export async function recordDecision(deps: RecordDeps, claim: DecisionClaim): Promise<Answer> {
  try {
    const run = await claimedRun(deps, claim)
    const command = commandOf(claim, run)
    if (command === undefined) throw await refuseClaim(deps, 'unknown_shape', claim.run_id)
    for (;;) {
      const answer = await decide(deps, claim, command)
      if (answer !== 'changed') return answer
    }
  } catch (error) {
    if (error instanceof ClaimRefused) return { refused: CODE_OF[error.kind] }
    throw error
  }
}

/** Reads the command of an Update or a signal; an empty gate id means that no gate can be meant. */
function commandOf({ given, signal }: DecisionClaim, run: RunState): GateCommand | undefined {
  if (signal === undefined) return GateCommandShape.safeParse(given).data
  const signalled = GateSignalShape.safeParse(given).data
  if (signalled === undefined) return undefined
  return {
    ...BY_TEMPORAL,
    roles: [...BY_TEMPORAL.roles],
    display: 'Temporal',
    gate_id: signalled.gate_id ?? signal.gate_id ?? run.gate_id ?? '',
    decision_id: signal.decision_id,
    kind: signalled.decision,
    ...(signalled.note !== undefined && { note: cutText(signalled.note, 2_000) }),
  }
}

async function decide(deps: RecordDeps, claim: DecisionClaim, given: GateCommand): Promise<Answer | 'changed'> {
  const { run_id } = claim
  const about = { gate_id: given.gate_id, decision: given.kind, said_to_be: given.by }
  const refuse = (kind: ClaimKind) => refuseClaim(deps, kind, run_id, about)
  const gate = given.gate_id === '' ? undefined : await deps.decisions.read(given.gate_id)
  if (gate?.run_id !== run_id) throw await refuse(given.gate_id === '' ? 'not_awaiting' : 'foreign_gate')
  const attributed = claim.signal === undefined ? attribute(run_id, given, deps) : { command: given, signed: false }
  if ('refused' in attributed) throw await refuse(attributed.refused)
  const { command, signed } = attributed
  const before = decisionAnswer(gate, command.decision_id)
  if (before !== undefined) return before
  if (gate.status !== 'open') return { refused: 'gate_resolved' }
  if (isBlind(claim, gate)) throw await refuse('not_awaiting')
  if ((signed || command.plan_hash !== undefined) && command.plan_hash !== gate.plan_hash)
    throw await refuse('plan_changed')
  if (!signed && !deps.open && command.kind !== 'reject' && !(command.kind === 'approve' && deps.signals_approve))
    throw await refuse('not_signed')
  const cast = await castVote(deps, { workspace_id: claim.workspace_id, gate, command })
  if ('refused' in cast) {
    if (cast.refused !== 'conflict') await refuseClaim(deps, 'not_allowed', run_id, { ...about, code: cast.refused })
    return { refused: cast.refused }
  }
  const { expect, ...change } = cast
  const patch = gatePatch(deps, { workspace_id: claim.workspace_id, gate, who: command, ...change })
  const recorded = await deps.decisions.resolve({ ...patch, ...(expect && { expect }) })
  if ('refused' in recorded) {
    if (recorded.refused === 'changed' || recorded.refused === 'resolved') return 'changed'
    if (recorded.refused === 'overdue') {
      await expireDueGate(deps, { run_id, workspace_id: claim.workspace_id, lane: claim.lane, gate_id: gate.gate_id })
      return { refused: 'gate_resolved' }
    }
    return { refused: 'run_not_awaiting' }
  }
  announce(deps, run_id, patch.audit, recorded)
  const resolved = change.resolution !== null
  return {
    gate_id: gate.gate_id,
    status: change.resolution ?? 'open',
    resolved,
    approvals: change.approvals,
    resolved_by: resolved ? command.by : null,
    resolved_at: recorded.resolved_at && isoOfDatabase(recorded.resolved_at),
    channel: command.channel,
  }
}

/**
 * Tells whether a signal without a gate id cannot have meant this gate: it came while the run waited on none, and there was a gate before,
 * so that it may be a duplicate of the answer to that one.
 */
function isBlind({ given, signal }: DecisionClaim, gate: GateState): boolean {
  if (signal === undefined || signal.gate_id !== null) return false
  return GateSignalShape.safeParse(given).data?.gate_id === undefined && !gate.first
}
