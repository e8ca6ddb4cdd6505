import type { AdvanceOutcome } from '#core/contract.ts'
import type { Required } from '#core/gate/types.ts'
import { halted, standingLost } from '#core/run/run-transitions.ts'
import { HOUR_MS } from '#core/time/time.ts'
import type { LostAuthority, Refusal } from '#store/runs/run-answers.ts'
import { commit, stoppedBy } from '../run/commit.ts'
import { openGate } from './open-gate.ts'
import { factsOf, type JudgedWork } from './work.ts'

/** The record says how long; longer than any delay that would be taken from an execution. */
const HELD_MS = HOUR_MS
/** Whose authority takes the place of one that has ended. */
const AN_OWNER: Required = { approvals: 1, approval_roles: [['owner']], prevent_self: false }

/** The environment is not granted to the run's workspace any more. */
interface GrantLost {
  refused: 'grant_lost'
}

export type HeldBack = Refusal | GrantLost

const WHY = {
  unknown: 'is not known here',
  not_active: 'is no longer active',
  not_in_workspace: 'no longer belongs to this workspace',
  role_taken: 'may no longer start runs',
  key_revoked: 'has been revoked',
  key_expired: 'has expired',
} as const satisfies Record<LostAuthority, string>

/**
 * What becomes of a run whose next step may not begin: it waits, asks an owner, or ends; or it does not belong to this
 * execution any more.
 */
export async function holdBack(work: JudgedWork, refusal: HeldBack): Promise<AdvanceOutcome> {
  const { head, environment } = work.session
  if (refusal.refused === 'halted') return await waitUntilLifted(work, refusal.halt_id)
  if (refusal.refused !== 'standing_lost' && refusal.refused !== 'grant_lost') return stoppedBy(refusal)
  const lost = refusal.refused === 'grant_lost' ? { who: head.workspace_id, why: 'grant_lost' as const } : refusal
  // a dry run asks nobody
  if (head.dry_run || environment.on_lost_standing === 'cancel') return await endWithout(work, lost)
  const kind = 'standing_lost'
  if (lost.why === 'grant_lost') {
    // nobody can answer for a workspace: after an answer it is asked again, so the grant has to be there first
    const because = [`the workspace of this run may no longer use the environment ${environment.name}`]
    return await openGate(work, { kind, because, required: AN_OWNER })
  }
  const because = [`${lost.who}, in whose name this run was asked for, ${WHY[lost.why]}`]
  return await openGate(work, { kind, because, required: { ...AN_OWNER, vouches_for: [lost.who] } })
}

async function waitUntilLifted(work: JudgedWork, halt_id: string | null): Promise<AdvanceOutcome> {
  const recorded = await commit(work.deps, work.session, halted(factsOf(work), halt_id))
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'delayed', delay_ms: HELD_MS, reason: 'halted' }
}

async function endWithout(work: JudgedWork, { who, why }: { who: string; why: string }): Promise<AdvanceOutcome> {
  const recorded = await commit(work.deps, work.session, standingLost(factsOf(work), { who, why }))
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'closed', status: 'cancelled' }
}
