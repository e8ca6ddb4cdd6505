import type { Invariant } from '../breach.ts'
import type { Evidence } from '../evidence.ts'
import { expectedStatus } from '../expected-status.ts'

/** What people decided is what became of each run that nobody stopped. */
export const honestDecisionsWork: Invariant = function* (evidence) {
  for (const run of evidence.runs) {
    const row = evidence.rows.find(({ id }) => id === run.id)
    const expected = expectedStatus(run)
    if (row === undefined) yield { run_id: run.id, says: 'is not on record any more' }
    else if (row.status !== expected && mayNotBe(evidence, run.id, row.ended_ms !== null)) {
      const votes = evidence.cast
        .filter(({ run_id }) => run_id === run.id)
        .map(({ by, decision, status, code }) => `${evidence.people[by]} ${decision} ${status} ${code ?? ''}`)
      yield {
        run_id: run.id,
        says: `is ${row.status} (${row.status_reason ?? ''}), should be ${expected}; votes: ${votes.join(', ')}`,
      }
    }
  }
}

/** A run that was stopped, or whose activities others answered, may have ended. One whose workflow others answered for may do anything. */
function mayNotBe({ harmed }: Evidence, id: string, ended: boolean): boolean {
  const harms = harmed.filter(({ run_id }) => run_id === id).map(({ harm }) => harm)
  return harms.length === 0 || (!ended && !harms.includes('seized'))
}
