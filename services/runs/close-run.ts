import type { RunClaim, RunResult } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { EventDraft } from '#core/run/event.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'
import { isTerminal } from '#core/run/status.ts'
import { announce, draftOf, type RecordDeps } from '../approvals/record-deps.ts'
import { claimedRun, refuseClaim } from '../approvals/refuse-claim.ts'

/** Ends a run from outside its steps: as cancelled if the record has a cancellation, else as failed. */
export async function closeRun(
  deps: RecordDeps,
  claim: RunClaim,
  error: { code: FailureCode; message: string; step?: string; details?: JsonObject } | null,
): Promise<RunResult> {
  const { run_id, workspace_id } = claim
  const run = await claimedRun(deps, claim)
  if (isTerminal(run.status)) return { status: run.status }
  const status = run.status === 'cancelling' ? 'cancelled' : 'failed'
  if (status === 'failed' && error === null) throw await refuseClaim(deps, 'not_cancelling', run_id)
  const data = status === 'failed' ? { ...error } : {}
  const audit = draftOf(
    deps,
    { run_id, workspace_id },
    {
      category: 'lineage',
      action: `run.${status}`,
      actor: { type: 'system', id: 'svc', auth: 'none' },
      data: { ...data, ...(run.gate_id === null ? {} : { gate_id: run.gate_id }) },
    },
  )
  const recorded = await deps.runs.record({
    run_id,
    take_fence: true,
    run: { status, ...(status === 'failed' ? { error: { ...error, retryable: false } } : {}) },
    events: [...closedGate(run.gate_id, status), { key: `run/${status}`, type: `run.${status}`, data }],
    audit: [audit],
  })
  if (!('refused' in recorded)) {
    announce(deps, run_id, [audit], recorded)
    return { status }
  }
  if (recorded.refused === 'terminal' && isTerminal(recorded.status)) return { status: recorded.status }
  throw new DomainError('internal', `run ${run_id} cannot be closed: ${recorded.refused}`)
}

/** The record closes an open gate together with its run. */
function closedGate(gateId: string | null, status: string): EventDraft[] {
  if (gateId === null) return []
  const actor = { type: 'system', id: 'system', display: 'svc' }
  const data = { gate_id: gateId, status: 'cancelled', cause: `run_${status}` }
  return [{ key: `gate/${gateId}/resolved`, type: 'gate.resolved', actor, data }]
}
