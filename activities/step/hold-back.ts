import type { LegOutcome } from '#core/contract.ts'
import type { Required } from '#core/gate/types.ts'
import { HOUR_MS } from '#core/time.ts'
import type { LostStanding, Refusal } from '#store/run-answers.ts'
import { stoppedBy, writePatch } from '../run/run-session.ts'
import { openGate } from './open-gate.ts'
import { draftAudit } from './records.ts'
import type { JudgedWork, StepWork } from './work.ts'

/** The record says how long; longer than any delay that would be taken from a leg. */
const HELD_MS = HOUR_MS
/** Whose authority takes the place of one that has ended. */
const AN_OWNER: Required = { approvals: 1, approval_roles: [['owner']], prevent_self: false }

/** The environment is not granted to the run's workspace any more. */
interface GrantLost {
  refused: 'grant_lost'
}

const WHY = {
  unknown: 'is not known here',
  not_active: 'is no longer active',
  not_in_workspace: 'no longer belongs to this workspace',
  role_taken: 'may no longer start runs',
  key_revoked: 'has been revoked',
  key_expired: 'has expired',
} as const satisfies Record<LostStanding, string>

/** What becomes of a run whose next step may not begin: it waits where it stands, asks an owner, or ends; or it is not this leg's any more. */
export async function holdBack(work: JudgedWork, refusal: Refusal | GrantLost): Promise<LegOutcome> {
  if (refusal.refused === 'halted') return await waitUntilLifted(work, refusal)
  if (refusal.refused === 'grant_lost') return await endWithGrant(work)
  if (refusal.refused !== 'standing_lost') return stoppedBy(refusal)
  const { who, why } = refusal
  // a dry run asks nobody
  if (work.session.head.dry_run || work.session.environment.on_lost_standing === 'cancel')
    return await cancel(work, { who, why })
  const because = [`${who}, in whose name this run was asked for, ${WHY[why]}`]
  const required = { ...AN_OWNER, vouches_for: [who] }
  return await openGate(work, { kind: 'standing_lost', because, required })
}

/** Nobody can vouch for a workspace: after an answer it is asked again, so the grant has to be there first. */
async function endWithGrant(work: JudgedWork): Promise<LegOutcome> {
  const { head, environment } = work.session
  if (head.dry_run || environment.on_lost_standing === 'cancel')
    return await cancel(work, { who: head.workspace_id, why: 'grant_lost' })
  const because = [`the workspace of this run may no longer use the environment ${environment.name}`]
  return await openGate(work, { kind: 'standing_lost', because, required: AN_OWNER })
}

async function waitUntilLifted(
  { deps, session, step }: StepWork,
  { halt_id }: { halt_id: string | null },
): Promise<LegOutcome> {
  const data = halt_id === null ? { cause: 'workspace_archived' } : { halt_id }
  const recorded = await writePatch(deps, session, {
    run: { status: 'running', status_reason: 'halted' },
    let_go: true,
    events: [{ key: `halt/${halt_id ?? 'archived'}/${step.id}`, type: 'run.progress', step: step.id, data }],
  })
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'delayed', delay_ms: HELD_MS, reason: 'halted' }
}

async function cancel(
  { deps, session, step }: StepWork,
  lost: { who: string; why: keyof typeof WHY | 'grant_lost' },
): Promise<LegOutcome> {
  const data = { cause: 'standing_lost', ...lost, step: step.id }
  const recorded = await writePatch(deps, session, {
    run: { status: 'cancelled', status_reason: 'standing_lost' },
    events: [{ key: 'run/cancelled', type: 'run.cancelled', data }],
    audit: [draftAudit(deps, session.head, { category: 'lineage', action: 'run.cancelled', data })],
  })
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'closed', status: 'cancelled' }
}
