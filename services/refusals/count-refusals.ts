import type { Ids } from '#core/id.ts'
import type { Log } from '#core/log.ts'
import type { Clock } from '#core/time/time.ts'
import { within } from '#platform/within.ts'
import type { RunStore } from '#store/runs/runs.ts'
import { type RefusalReport, recordRefusals, refusalKey } from './record-refusals.ts'

export interface RefusalCounter {
  /** Resolves when the refusal is on record, or counted beside one like it, or the record is not to be reached. Never rejects. */
  record(refusal: RefusalReport): Promise<void>
  /** writes pending counts */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface RefusalCounterOptions {
  runs: Pick<RunStore, 'appendRefusals'>
  ids: Ids
  clock: Clock
  log: Pick<Log, 'warn'>
  /** interval of writing counts; 5,000 */
  flush_ms?: number
  /** most kinds of refusals in memory; more are written and forgotten */
  max_kinds?: number
}

interface Counted {
  refusal: RefusalReport
  /** since it was last written down */
  more: number
  reported_at: number
}

const REPORTED_FOR_MS = 60_000
/** An answer does not wait longer for its record. */
const WAIT_MS = 500

/**
 * Protects the database from a flood of refusals: the first of a kind is recorded at once, later ones are counted here and written as a
 * number every few seconds. The database adds up the counts of several processes.
 */
export function createRefusalCounter(options: RefusalCounterOptions): RefusalCounter {
  const { runs, ids, clock, log, flush_ms = 5_000, max_kinds = 1_000 } = options
  const counted = new Map<string, Counted>()
  const timer = setInterval(() => void flush(), flush_ms)
  timer.unref()

  async function write(entries: { refusal: RefusalReport; more: number }[]): Promise<void> {
    try {
      await recordRefusals(
        { runs, ids, clock },
        entries.map(({ refusal, more }) => ({ ...refusal, more })),
      )
    } catch (error) {
      // they stay refused; their number is kept until it can be written down
      for (const { refusal, more } of entries) {
        const known = counted.get(refusalKey(refusal))
        if (known !== undefined) known.more += more
      }
      log.warn({ err: error }, 'refusals are not on record yet')
    }
  }

  async function flush(): Promise<void> {
    const due = [...counted.values()].filter(({ more }) => more > 0)
    const entries = due.map((entry) => ({ refusal: entry.refusal, more: entry.more }))
    for (const entry of due) entry.more = 0
    await write(entries)
    const old = clock() - REPORTED_FOR_MS
    for (const [key, entry] of counted) if (entry.more === 0 && entry.reported_at < old) counted.delete(key)
  }

  /** The map is in the order of the last record, so that the first is the one to forget. */
  async function forgetOne(): Promise<void> {
    const [key, entry] = counted.entries().next().value ?? []
    if (key === undefined || entry === undefined) return
    counted.delete(key)
    if (entry.more > 0) await write([{ refusal: entry.refusal, more: entry.more }])
  }

  return {
    async record(refusal) {
      const key = refusalKey(refusal)
      const known = counted.get(key)
      if (known !== undefined && clock() - known.reported_at < REPORTED_FOR_MS) {
        known.more += 1
        return
      }
      const more = (known?.more ?? 0) + 1
      counted.delete(key)
      counted.set(key, { refusal, more: 0, reported_at: clock() })
      const writing = write([{ refusal, more }])
      await within(WAIT_MS, counted.size > max_kinds ? forgetOne().then(() => writing) : writing, () => undefined)
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
