import { type Clock, type ClockReading, clockReading, keptReading } from '#core/time/time.ts'
import type { Db } from '../db.ts'

const ASK_EVERY_MS = 1_000
/** the first one opens a connection, which takes longer than an answer */
const FIRST_QUESTIONS = 3

export interface DatabaseClock {
  now: Clock
  close(): void
}

/**
 * The clock of the database, which runs by the monotonic clock of this process between two reads. The machine's own clock decides nothing.
 */
export async function createDatabaseClock(db: Db, { every_ms = ASK_EVERY_MS } = {}): Promise<DatabaseClock> {
  let kept = await ask()
  for (let asked = 1; asked < FIRST_QUESTIONS; asked += 1) await follow()
  let asking = false
  const timer = setInterval(() => {
    if (asking) return
    asking = true
    // while the database is unavailable the clock runs on
    follow()
      .catch(() => undefined)
      .finally(() => {
        asking = false
      })
  }, every_ms)
  timer.unref()

  async function ask(): Promise<ClockReading> {
    const sent_at = performance.now()
    const [row] = await db<{ now_ms: number }[]>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`
    if (row === undefined) throw new Error('the database told no time')
    return clockReading(sent_at, performance.now(), row.now_ms)
  }

  async function follow(): Promise<void> {
    kept = keptReading(kept, await ask())
  }

  return { now: () => Math.round(performance.now() + kept.offset_ms), close: () => clearInterval(timer) }
}
