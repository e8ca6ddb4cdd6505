import type { RunClaim } from '#core/contract.ts'
import type { Required } from '#core/gate/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { RunStore } from '#store/runs/runs.ts'
import { ids, runDraft } from './run-drafts.ts'

/** The hash of what every gate of these tests shows. */
export const SHOWN_PLAN = `sha256:${'b'.repeat(64)}`

export interface Parked {
  run_id: string
  gate_id: string
  claim: RunClaim
}

export interface GateOptions {
  provenance?: JsonObject
  expires_at?: string
}

/** Admits a run; its first step has begun, and no gate is open. */
export async function beginRun(runs: RunStore, provenance: JsonObject = {}): Promise<RunClaim> {
  const draft = runDraft({ provenance })
  await runs.admit([draft])
  await takeRun(runs, draft.id)
  return { run_id: draft.id, workspace_id: DEFAULT_WORKSPACE_ID, lane: 'realtime' }
}

/** Opens a gate at a run that is under way, or was let go on by the gate before. */
export async function openGate(
  runs: RunStore,
  claim: RunClaim,
  required: Partial<Required> = {},
  expires_at = '2099-01-01T00:00:00.000Z',
): Promise<Parked> {
  const { run_id } = claim
  const gate_id = ids.next('gate')
  const recorded = await runs.record({
    run_id,
    fence: await takeRun(runs, run_id),
    gate: {
      ...{ id: gate_id, step_id: 'act', ordinal: 0, attempt: 0, kind: 'approval', plan_hash: SHOWN_PLAN, view: {} },
      required: { approvals: 1, approval_roles: [], prevent_self: false, ...required },
      expires_at,
    },
  })
  if ('refused' in recorded) throw new Error(recorded.refused)
  return { run_id, gate_id, claim }
}

/** A run that waits for an answer. */
export async function parkGate(
  runs: RunStore,
  required: Partial<Required> = {},
  { provenance, expires_at }: GateOptions = {},
): Promise<Parked> {
  return await openGate(runs, await beginRun(runs, provenance), required, expires_at)
}

async function takeRun(runs: RunStore, runId: string): Promise<number> {
  const taken = await runs.take(runId)
  if ('refused' in taken) throw new Error(taken.refused)
  return taken.recorded.fence
}
