import type { Invariant } from '../breach.ts'
import { authorsAreTrue } from './authors-are-true.ts'
import { effectsAreApproved } from './effects-are-approved.ts'
import { effectsAreThePlan } from './effects-are-the-plan.ts'
import { effectsHappenOnce } from './effects-happen-once.ts'
import { endsAreOnRecord } from './ends-are-on-record.ts'
import { honestDecisionsWork } from './honest-decisions-work.ts'
import { nothingStartsByItself } from './nothing-starts-by-itself.ts'
import { refusalsAreOnRecord } from './refusals-are-on-record.ts'
import { secretsStay } from './secrets-stay.ts'
import { serviceHolds } from './service-holds.ts'

/** What holds whatever somebody does at the engine's port. */
export const INVARIANTS: Record<string, Invariant> = {
  'no effect without its votes': effectsAreApproved,
  'no effect but the approved plan': effectsAreThePlan,
  'no effect twice': effectsHappenOnce,
  'nothing starts by itself': nothingStartsByItself,
  'no secret leaves': secretsStay,
  'no forged author': authorsAreTrue,
  'refused claims on record': refusalsAreOnRecord,
  'honest decisions work': honestDecisionsWork,
  'ends are on record': endsAreOnRecord,
  'the service holds': serviceHolds,
}
