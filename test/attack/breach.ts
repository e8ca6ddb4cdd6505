import type { Evidence } from './evidence.ts'

export interface Breach {
  invariant: string
  run_id: string | null
  /** what is wrong, with the actions that touched the run and the seed */
  message: string
}

const SHOWN = 8

/** Checks one promise against everything that is known; yields what does not hold. */
export type Invariant = (evidence: Evidence) => Iterable<{ run_id?: string; says: string }>

export function checkInvariants(invariants: Record<string, Invariant>, evidence: Evidence): Breach[] {
  return Object.entries(invariants).flatMap(([invariant, check]) =>
    [...check(evidence)].map(({ run_id, says }) => ({
      invariant,
      run_id: run_id ?? null,
      message: `seed ${evidence.seed}: ${invariant}: ${says}${run_id === undefined ? '' : about(evidence, run_id)}`,
    })),
  )
}

function about({ runs, attempts, harmed }: Evidence, run_id: string): string {
  const run = runs.find(({ id }) => id === run_id)
  const harms = new Map(harmed.filter((each) => each.run_id === run_id).map(({ index, harm }) => [index, harm]))
  const touched = attempts
    .filter(({ index, run_id: aim }) => harms.has(index) || aim === run_id)
    .toSorted((a, b) => a.at - b.at)
  const shown = touched
    .filter(({ index }, nth) => harms.has(index) || nth >= touched.length - SHOWN)
    .map(({ index, kind, variant, result }) => `#${index} ${kind} (${variant}) ${harms.get(index) ?? result}`)
  const what = run === undefined ? '' : `; run ${run.nth}, ${run.kind}, fate ${run.fate}`
  return `\n    ${run_id}${what}\n    actions on it: ${shown.join(', ') || 'none'}`
}
