/** The workflow of one tick of a schedule; the engine makes its id from `firing/<schedule_id>` and the nominal time. */
export const SCHEDULE_FIRING_WORKFLOW = 'scheduleFiringV1'

/** Input of the workflow: what fires is read from the record when it fires. */
export interface ScheduleFiringInput {
  schedule_id: string
  workspace_id: string
}

export interface FireScheduleInput extends ScheduleFiringInput {
  /** when the schedule fires by its rule, whenever it really does */
  nominal_at: string
}

/** `wait`: the run before is still active, and this one is its successor; `look_ms` is the delay until the next check. */
export type FireResult =
  | { kind: 'done'; outcome: string; run_id?: string; reason?: string }
  | { kind: 'wait'; look_ms?: number }

/** Activities of the firing workflow, on the bookkeeping queue. Each is safe to repeat. */
export interface ScheduleActivities {
  fireSchedule(input: FireScheduleInput): Promise<FireResult>
}

/** Prefix of the ids of a schedule's firing workflows. */
export function firingWorkflowId(scheduleId: string): string {
  return `firing/${scheduleId}`
}

/** The id that the engine gives the firing workflow of one nominal time, in milliseconds. */
export function firingWorkflowIdAt(scheduleId: string, nominal: number): string {
  return `${firingWorkflowId(scheduleId)}-${new Date(nominal).toISOString().slice(0, 19)}Z`
}

/** The nominal time in the id of a firing workflow; undefined when it has none. */
export function nominalTimeIn(workflowId: string): string | undefined {
  return /-(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(workflowId)?.[1]
}
