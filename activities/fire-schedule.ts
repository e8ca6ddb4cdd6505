import { ClaimShapes } from '#core/gate/command-schema.ts'
import {
  type FireScheduleInput,
  firingWorkflowIdAt,
  SCHEDULE_FIRING_WORKFLOW,
  type ScheduleActivities,
} from '#core/schedule/contract.ts'
import { type FireDeps, fireSchedule } from '#services/schedules/fire-schedule.ts'
import { onClaim } from './on-claim.ts'

/** Activities of the firing workflow. */
export function createScheduleActivities(deps: FireDeps): ScheduleActivities {
  return {
    fireSchedule: onClaim(deps.claims, ClaimShapes.fireSchedule, ownFiring, (input) => fireSchedule(deps, input)),
  }
}

/** A time of a schedule is spoken for by the firing of exactly that time. */
const ownFiring = ({ schedule_id, nominal_at }: FireScheduleInput) => ({
  workflow_id: firingWorkflowIdAt(schedule_id, Date.parse(nominal_at)),
  type: SCHEDULE_FIRING_WORKFLOW,
})
