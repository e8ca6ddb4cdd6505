import type { Db } from './db.ts'
import { paced } from './paced.ts'

export const EVENTS_CHANNEL = 'svc_events'
/** The first ring goes out at once, those that follow it together. */
const REST_MS = 40
/** A NOTIFY payload holds 8,000 bytes; beyond this many runs watchers look at everything they watch. */
const MOST_NAMED = 200

/** One NOTIFY per flush for all runs with news. A lost ring costs a watcher at most its next poll. */
export function createDoorbell(db: Db) {
  const rung = new Set<string>()
  const bell = paced(async () => {
    const payload = rung.size > MOST_NAMED ? '*' : JSON.stringify([...rung])
    rung.clear()
    await db`select pg_notify(${EVENTS_CHANNEL}, ${payload})`.catch(() => undefined)
  }, REST_MS)

  return {
    ring(runId: string): void {
      rung.add(runId)
      bell.ask()
    },
    close: bell.close,
  }
}
