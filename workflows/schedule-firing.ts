import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import { isResultOf } from '#core/activity-results.ts'
import {
  type FireResult,
  nominalTimeIn,
  type ScheduleActivities,
  type ScheduleFiringInput,
} from '#core/schedule/contract.ts'

const { fireSchedule } = proxyActivities<ScheduleActivities>({
  // a few statements; a process that died over them is noticed while the tick is still on time
  startToCloseTimeout: '10s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

const FIRST_WAIT_MS = 1_000
const LONGEST_MS = 60_000
/** A history stays short, however long the run before takes. */
const MAX_ASKED = 500

/** One tick of a schedule: fires once, or follows the run before. */
export async function scheduleFiringV1(input: ScheduleFiringInput): Promise<FireResult> {
  const nominal_at = nominalTimeIn(workflowInfo().workflowId)
  if (nominal_at === undefined) return { kind: 'done', outcome: 'ignored', reason: 'no_nominal_time' }
  let wait_ms = FIRST_WAIT_MS
  for (let asked = 0; asked < MAX_ASKED; asked += 1) {
    const result = await fireSchedule({ ...input, nominal_at })
    // the result did not come from our worker: ask the record again
    const is_ours = isResultOf.fireSchedule(result)
    if (is_ours && result.kind === 'done') return result
    await sleep((is_ours && result.kind === 'wait' ? result.look_ms : undefined) ?? wait_ms)
    wait_ms = Math.min(wait_ms * 1.5, LONGEST_MS)
  }
  return await continueAsNew<typeof scheduleFiringV1>(input)
}
