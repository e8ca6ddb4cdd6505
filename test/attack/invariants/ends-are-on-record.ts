import type { Invariant } from '../breach.ts'

const TERMINATED_WITHIN_MS = 10_000
const ENDED = new Set(['succeeded', 'failed', 'rejected', 'cancelled', 'expired'])

/** A run whose workflow was ended ends on record within seconds; none waits on record for a workflow that is gone; none expires early. */
export const endsAreOnRecord: Invariant = function* ({ rows, harmed, executions, gates, attempts }) {
  const took = (index: number) => attempts.some((each) => each.index === index && each.result === 'taken')
  for (const { id, status, ended_ms } of rows) {
    const alive = executions.some((each) => each.id === id && each.open)
    if (!ENDED.has(status) && !alive) yield { run_id: id, says: `is ${status} on record, and its workflow is gone` }
    const others = harmed.some((each) => each.run_id === id && each.harm === 'seized')
    const end = harmed.find((each) => each.run_id === id && each.harm === 'terminated' && took(each.index))
    if (end === undefined || others || alive) continue
    const late_ms = (ended_ms ?? Date.now()) - end.at
    if (late_ms > TERMINATED_WITHIN_MS)
      yield { run_id: id, says: `was terminated, and stood as ${status} for ${Math.round(late_ms / 1_000)} s more` }
  }
  for (const { run_id, status, resolution, resolved_ms, expires_ms } of gates) {
    if (status !== 'expired' || resolution?.['cause'] !== 'ttl') continue
    if ((resolved_ms ?? 0) < expires_ms) yield { run_id, says: 'its gate is called expired, and its time was not over' }
  }
}
