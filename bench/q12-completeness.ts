import { type BusLoadResult, loadBus } from '../test/support/bus-load.ts'

export interface CompletenessOptions {
  /** of the first run; each run that follows has the next */
  seed: number
  runs: number
  /** duration of an open transaction in the last run; two seconds in the others */
  hold_ms: number
}

/** Kills every process under load, once a run, and counts records that no run may have. */
export async function q12Completeness({ seed, runs, hold_ms }: CompletenessOptions) {
  const rows: ReturnType<typeof summarize>[] = []
  for (let run = 0; run < runs; run += 1) {
    const last = run === runs - 1
    const result = await loadBus({
      seed: seed + run,
      load_ms: 4_000,
      hold_ms: last ? hold_ms : Math.min(hold_ms, 2_000),
      kills: true,
    })
    rows.push(summarize(result))
    if (rows.at(-1)?.faults !== 0) console.error(JSON.stringify(result.faults))
  }
  return rows
}

function summarize({ seed, faults, kills, published, delivered, held }: BusLoadResult) {
  const found = Object.values(faults.subscribers)
  const count = (of: (each: (typeof found)[number]) => string[]) =>
    found.reduce((sum, each) => sum + of(each).length, 0)
  const row = {
    seed,
    published: published.acknowledged,
    'answer lost': published.unknown,
    delivered: Object.values(delivered).reduce((sum, { messages }) => sum + messages, 0),
    again: Object.values(delivered).reduce((sum, { again }) => sum + again, 0),
    lost: faults.lost.length + faults.invented.length + faults.doubled.length,
    skipped: count(({ skipped }) => skipped),
    foreign: count(({ foreign }) => foreign),
    reordered: count(({ reordered }) => reordered),
    unflagged: count(({ unflagged, repeated }) => [...unflagged, ...repeated]),
    'silent ms': Math.max(...kills.map(({ silent_ms }) => silent_ms)),
    'passed while held': held.passed,
    'held, to handler ms': held.to_handler_ms,
  }
  return { ...row, faults: row.lost + row.skipped + row.foreign + row.reordered + row.unflagged }
}
