import type { Invariant } from '../breach.ts'

export const REFUSED = 'claim.refused'
/** however often somebody claims the same of a run, the record holds so many refusals of it at most */
const MOST_PER_RUN = 60

/** A claim that the record does not bear out stands there as refused; a flood of claims is no flood of records. */
export const refusalsAreOnRecord: Invariant = function* ({ attempts, audit, runs }) {
  const refused = (id: string) => audit.filter((event) => event.run_id === id && event.action === REFUSED)
  for (const { id } of runs) {
    const claims = attempts.filter((each) => each.run_id === id && each.claim && each.result === 'taken')
    const records = refused(id).length
    if (claims.length > 0 && records === 0) {
      const shown = claims.slice(0, 5).map(({ index, kind, variant }) => `#${index} ${kind} (${variant})`)
      yield { run_id: id, says: `${claims.length} refused claims, none on record: ${shown.join(', ')}` }
    }
    if (records > MOST_PER_RUN) yield { run_id: id, says: `${records} records of refused claims` }
  }
}
