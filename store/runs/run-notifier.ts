import type { Db } from '../db.ts'
import { paced } from '../sql/paced.ts'

export const EVENTS_CHANNEL = 'svc_events'
/** The first notification goes out at once, those that follow it together. */
const REST_MS = 40
/** A NOTIFY payload holds 8,000 bytes; beyond this many runs watchers read everything that they watch. */
const MOST_NAMED = 200

/** One NOTIFY per flush for all runs that have changed. A lost one costs a watcher at most its next poll. */
export function createRunNotifier(db: Db) {
  const changed = new Set<string>()
  const flush = paced(async () => {
    const payload = changed.size > MOST_NAMED ? '*' : JSON.stringify([...changed])
    changed.clear()
    await db`select pg_notify(${EVENTS_CHANNEL}, ${payload})`.catch(() => undefined)
  }, REST_MS)

  return {
    notify(runId: string): void {
      changed.add(runId)
      flush.ask()
    },
    close: flush.close,
  }
}
