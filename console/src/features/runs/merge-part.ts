import type { Run, RunPart } from './api.ts'

export interface RunParts {
  pages: RunPart[]
  pageParams: string[]
}

export interface Merged {
  parts: RunParts
  /** newer runs that are not inserted while the user reads further down */
  newer: number
}

/**
 * Merges a reloaded part into the list. At the top of the list new runs appear at once; further down nothing may move under the reader's
 * eyes, so that they are counted only. Runs that no longer match are removed.
 */
export function mergePart(parts: RunParts, at: { part: number; isTop: boolean }, fresh: RunPart): Merged {
  const old = parts.pages[at.part]
  if (old === undefined) return { parts, newer: 0 }
  if (at.isTop && fresh.next !== old.next) return { parts: { pages: [fresh], pageParams: [''] }, newer: 0 }
  if (at.isTop) return { parts: withPart(parts, at.part, fresh), newer: 0 }
  const known = new Set(parts.pages.flatMap(({ runs }) => runs.map(({ id }) => id)))
  const newest = old.runs[0]?.created_at ?? ''
  const isNew = ({ id, created_at }: Run) => at.part === 0 && !known.has(id) && created_at >= newest
  const asked = new Set(fresh.runs.map(({ id }) => id))
  const last = fresh.runs.at(-1)
  // runs that new ones have pushed out of this part probably still exist
  const beyond = old.runs.filter(
    ({ id, created_at }) => !asked.has(id) && last !== undefined && created_at <= last.created_at,
  )
  const runs = [...fresh.runs.filter((run) => !isNew(run)), ...beyond]
  return { parts: withPart(parts, at.part, { ...fresh, runs, next: old.next }), newer: fresh.runs.filter(isNew).length }
}

function withPart({ pages, pageParams }: RunParts, place: number, part: RunPart): RunParts {
  return { pages: pages.with(place, part), pageParams }
}

/** Returns all loaded runs once, with their part. */
export function runsIn(pages: readonly RunPart[]): { runs: Run[]; partOf: number[] } {
  const seen = new Set<string>()
  const runs: Run[] = []
  const partOf: number[] = []
  for (const [part, page] of pages.entries())
    for (const run of page.runs) {
      if (seen.has(run.id)) continue
      seen.add(run.id)
      runs.push(run)
      partOf.push(part)
    }
  return { runs, partOf }
}
