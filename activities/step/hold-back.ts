import type { Required } from '#core/gate/types.ts'
import { halted, standingLost } from '#core/run/run-transitions.ts'
import { HOUR_MS } from '#core/time/time.ts'
import type { LostAuthority } from '#store/runs/run-answers.ts'
import { stoppedBy } from '../run/commit.ts'
import type { RunSession } from '../run/run-session.ts'
import type { Decision, HeldBack } from './work.ts'

/** Too long to be waited out without reading the record, which has the real delay. */
const PLACEHOLDER_MS = HOUR_MS
/** Whose authority takes the place of one that has ended. */
const AN_OWNER: Required = { approvals: 1, approval_roles: [['owner']], prevent_self: false }

const WHY = {
  unknown: 'is not known here',
  not_active: 'is no longer active',
  not_in_workspace: 'no longer belongs to this workspace',
  role_taken: 'may no longer start runs',
  key_revoked: 'has been revoked',
  key_expired: 'has expired',
} as const satisfies Record<LostAuthority, string>

/** A run whose next step may not begin waits, asks an owner, or ends; or it does not belong to this execution any more. */
export function holdBack({ head, environment }: RunSession, step: string, refusal: HeldBack): Decision {
  if (refusal.refused === 'halted') {
    const end = { kind: 'delayed' as const, delay_ms: PLACEHOLDER_MS, reason: 'halted' }
    return { kind: 'write', transition: halted(step, refusal.halt_id), end }
  }
  if (refusal.refused !== 'standing_lost' && refusal.refused !== 'grant_lost')
    return { kind: 'end', end: stoppedBy(refusal) }
  const lost = refusal.refused === 'grant_lost' ? { who: head.workspace_id, why: 'grant_lost' as const } : refusal
  // a dry run asks nobody
  if (head.dry_run || environment.on_lost_standing === 'cancel')
    return { kind: 'write', transition: standingLost(step, lost), end: { kind: 'closed', status: 'cancelled' } }
  const kind = 'standing_lost'
  if (lost.why === 'grant_lost') {
    // nobody can answer for a workspace: after an answer it is asked again, so the grant has to be there first
    const because = [`the workspace of this run may no longer use the environment ${environment.name}`]
    return { kind: 'ask', cause: { kind, because, required: AN_OWNER } }
  }
  const because = [`${lost.who}, in whose name this run was asked for, ${WHY[lost.why]}`]
  return { kind: 'ask', cause: { kind, because, required: { ...AN_OWNER, vouches_for: [lost.who] } } }
}
