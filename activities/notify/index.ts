import type { ActionActivities } from '#core/action-contract.ts'
import { createAnnounceGate } from './announce-gate.ts'
import type { NoticeDeps } from './deps.ts'
import { createPlanNotice } from './plan-notice.ts'

export function createActionActivities(deps: NoticeDeps): ActionActivities {
  return { planNotice: createPlanNotice(deps), announceGate: createAnnounceGate(deps) }
}
