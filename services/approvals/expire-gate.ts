import type { LedgerActivities } from '#core/contract.ts'
import type { DecisionContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { decideGate } from './decide-gate.ts'
import type { DecidedGate } from './gate-decision.ts'
import { gatePatch } from './gate-patch.ts'
import { announce, type RecordDeps } from './record-deps.ts'
import { claimedRun, refuseClaim } from './refuse-claim.ts'

/** Dismisses one stale gate: the run ends as `expired` with the recorded reason. */
export const expireGate = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (
    ctx: DecisionContext,
    input: { run_id: string; reason: string; gate_id?: string | undefined },
  ): Promise<DecidedGate> => {
    const { run_id, reason, gate_id } = input
    return decideGate(ctx, { run_id, kind: 'dismiss', note: reason, ...(gate_id !== undefined && { gate_id }) })
  },
)

type Claim = Parameters<LedgerActivities['expireGate']>[0]

/** Expires a gate whose time is over by the record's clock. */
export async function expireDueGate(deps: RecordDeps, claim: Claim): ReturnType<LedgerActivities['expireGate']> {
  await claimedRun(deps, claim)
  for (;;) {
    const gate = await deps.decisions.read(claim.gate_id)
    if (gate?.run_id !== claim.run_id) throw await refuseClaim(deps, 'foreign_gate', claim.run_id)
    if (gate.status !== 'open') return { status: gate.status, remaining_ms: 0 }
    const change = { workspace_id: claim.workspace_id, gate, who: null, vote: null, resolution: 'expired' } as const
    const patch = gatePatch(deps, { ...change, cause: 'ttl' })
    const recorded = await deps.decisions.resolve({ ...patch, due: true })
    if (!('refused' in recorded)) {
      announce(deps, claim.run_id, patch.audit, recorded)
      return { status: 'expired', remaining_ms: 0 }
    }
    if (recorded.refused === 'not_due') return { status: 'open', remaining_ms: recorded.remaining_ms }
    if (recorded.refused === 'terminal') return { status: 'cancelled', remaining_ms: 0 }
  }
}
