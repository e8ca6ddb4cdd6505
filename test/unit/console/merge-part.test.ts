import { describe, expect, it } from 'vitest'
import type { Run, RunPart } from '../../../console/src/features/runs/api.ts'
import { mergePart, type RunParts, runsIn } from '../../../console/src/features/runs/merge-part.ts'

const run = (n: number, status = 'running') =>
  ({ id: `run_${n}`, status, created_at: `2026-01-01T00:00:${String(n).padStart(2, '0')}.000Z` }) as Run
const part = (next: string | undefined, ...numbers: number[]): RunPart => ({
  runs: numbers.map((n) => run(n)),
  next,
  total: undefined,
  at_least: undefined,
})
const there: RunParts = { pages: [part('c7', 9, 8, 7), part(undefined, 6, 5)], pageParams: ['', 'c7'] }
const ids = ({ pages }: RunParts) => runsIn(pages).runs.map(({ id }) => Number(id.slice(4)))

describe('a list of runs that is kept up to date', () => {
  it('starts over at the top as soon as there are new runs', () => {
    const { parts, newer } = mergePart(there, { part: 0, isTop: true }, part('c8', 10, 9, 8))
    expect([ids(parts), parts.pageParams, newer]).toEqual([[10, 9, 8], [''], 0])
  })

  it('takes over what has changed of those that are there', () => {
    const fresh = { ...part('c7', 9, 8, 7), runs: [run(9, 'failed'), run(8), run(7)] }
    const { parts } = mergePart(there, { part: 0, isTop: true }, fresh)
    expect(ids(parts)).toEqual([9, 8, 7, 6, 5])
    expect(parts.pages[0]?.runs[0]?.status).toBe('failed')
  })

  it('moves nothing while somebody reads further down, and counts what is new', () => {
    const { parts, newer } = mergePart(there, { part: 0, isTop: false }, part('c9', 11, 10, 9))
    expect([ids(parts), newer, parts.pages[0]?.next]).toEqual([[9, 8, 7, 6, 5], 2, 'c7'])
  })

  it('drops what no longer matches, and leaves no gap to the part behind', () => {
    const { parts } = mergePart(there, { part: 0, isTop: false }, part('c6', 9, 7, 6))
    expect(ids(parts)).toEqual([9, 7, 6, 5])
    expect(ids(mergePart(there, { part: 1, isTop: false }, part(undefined, 5)).parts)).toEqual([9, 8, 7, 5])
  })
})
