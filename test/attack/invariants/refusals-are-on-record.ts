import type { Attempt } from '../attempt.ts'
import type { Invariant } from '../breach.ts'
import type { Evidence } from '../evidence.ts'

export const REFUSED = 'claim.refused'
/** a claim that repeats is counted, and stands on record once a minute; an attack spans a few */
const MAX_PER_KIND = 8

/** A claim that the record does not bear out stands there as refused; a flood of claims is no flood of records. */
export const refusalsAreOnRecord: Invariant = function* (evidence) {
  const { audit, runs, metrics } = evidence
  let sure = 0
  for (const { id } of runs) {
    const records = audit.filter((event) => event.run_id === id && event.action === REFUSED)
    const claims = sureClaims(evidence, id)
    sure += claims.length
    if (claims.length > 0 && records.length === 0) {
      const shown = claims.slice(0, 5).map(({ index, kind, variant }) => `#${index} ${kind} (${variant})`)
      yield { run_id: id, says: `${claims.length} refused claims, none on record: ${shown.join(', ')}` }
    }
    for (const kind of new Set(records.map(({ data }) => data['kind']))) {
      const alike = records.filter(({ data }) => data['kind'] === kind).length
      if (alike > MAX_PER_KIND) yield { run_id: id, says: `${alike} records of refused claims of kind ${kind}` }
    }
  }
  const counted = [...metrics.matchAll(/^svc_claims_refused_total(?:\{[^}]*\})? (\d+)/gm)]
  const sum = counted.reduce((all, [, count]) => all + Number(count), 0)
  if (sum < sure) yield { says: `${sure} claims were refused, and the metrics count ${sum}` }
}

/**
 * Claims that our workers must have received and refused: of a gate that stayed open, or a workflow beside the run, while
 * nobody stopped either.
 */
export function sureClaims(
  { attempts, gates, harmed }: Pick<Evidence, 'attempts' | 'gates' | 'harmed'>,
  id: string,
): Attempt[] {
  if (harmed.some(({ run_id }) => run_id === id || run_id.startsWith(`forged/${id}/`))) return []
  return attempts.filter(
    ({ run_id, claim }) =>
      run_id === id && (claim === 'run' || gates.some((gate) => gate.id === claim && gate.status === 'open')),
  )
}
