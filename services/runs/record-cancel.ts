import type { CancelCommand, LedgerActivities } from '#core/contract.ts'
import { attribute, BY_TEMPORAL } from '#core/gate/attribute.ts'
import { CancelCommandShape } from '#core/gate/command-schema.ts'
import { isTerminal } from '#core/run/status.ts'
import { gatePatch } from '../approvals/gate-patch.ts'
import { announce, draftOf, type RecordDeps } from '../approvals/record-deps.ts'
import { claimedRun, refuseClaim } from '../approvals/refuse-claim.ts'

type Claim = Parameters<LedgerActivities['recordCancel']>[0]

/** Records that a run is to stop: a gate that waits is closed with it, and otherwise no further step can begin. */
export async function recordCancel(deps: RecordDeps, claim: Claim): ReturnType<LedgerActivities['recordCancel']> {
  const { run_id, workspace_id } = claim
  const given = claim.command === null ? byTemporal(run_id) : CancelCommandShape.safeParse(claim.command).data
  if (given === undefined) {
    await refuseClaim(deps, 'unknown_shape', run_id)
    return { refused: 'validation_failed' }
  }
  const attributed = attribute(run_id, given, deps)
  if ('refused' in attributed) {
    await refuseClaim(deps, attributed.refused, run_id, { command: 'cancel', said_to_be: given.by })
    return { refused: 'approver_not_allowed' }
  }
  const { command } = attributed
  for (;;) {
    const run = await claimedRun(deps, claim)
    if (isTerminal(run.status) || run.status === 'cancelling') return { status: run.status }
    if (run.gate_id === null) return await beginCancel(deps, { run_id, workspace_id }, command)
    const gate = await deps.decisions.read(run.gate_id)
    if (gate?.status !== 'open') continue
    const patch = gatePatch(deps, {
      workspace_id,
      gate,
      who: command,
      vote: null,
      resolution: 'cancelled',
      cause: null,
    })
    const recorded = await deps.decisions.resolve({
      ...patch,
      run: { status: 'cancelled', ...(command.reason !== undefined && { status_reason: command.reason }) },
    })
    if ('refused' in recorded) continue
    announce(deps, run_id, patch.audit, recorded)
    return { status: 'cancelled' }
  }
}

/** The fence stays: the running attempt still settles what it has begun. */
async function beginCancel(
  deps: RecordDeps,
  run: { run_id: string; workspace_id: string },
  command: CancelCommand,
): ReturnType<LedgerActivities['recordCancel']> {
  const { by, display, type, channel, asserted, auth, reason } = command
  const data = { reason: reason ?? null, channel, asserted }
  const audit = draftOf(deps, run, {
    category: 'approval',
    action: 'run.cancel_requested',
    actor: { type, id: by, auth: auth ?? 'none' },
    channel,
    data,
  })
  const recorded = await deps.runs.record({
    run_id: run.run_id,
    any_fence: true,
    run: { status: 'cancelling', ...(reason !== undefined && { status_reason: reason }) },
    events: [{ key: 'run/cancelling', type: 'run.cancelling', actor: { type, id: by, display }, data }],
    audit: [audit],
  })
  if (!('refused' in recorded)) {
    announce(deps, run.run_id, [audit], recorded)
    return { status: 'cancelling' }
  }
  return { status: recorded.refused === 'terminal' ? recorded.status : 'cancelling' }
}

function byTemporal(runId: string): CancelCommand {
  return {
    ...BY_TEMPORAL,
    roles: [...BY_TEMPORAL.roles],
    decision_id: `cancel/${runId}`,
    reason: 'cancelled in Temporal',
  }
}
