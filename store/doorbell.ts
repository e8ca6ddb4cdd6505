import type { Db } from './db.ts'

export const EVENTS_CHANNEL = 'svc_events'
const FLUSH_AFTER_MS = 15
/** A NOTIFY payload holds 8,000 bytes; beyond this many runs watchers look at everything they watch. */
const MOST_NAMED = 200

/** One NOTIFY per flush for all runs with news. A lost ring costs a watcher at most its next poll. */
export function createDoorbell(db: Db) {
  const rung = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<unknown> = Promise.resolve()

  function flush(): void {
    timer = undefined
    const payload = rung.size > MOST_NAMED ? '*' : JSON.stringify([...rung])
    rung.clear()
    sending = db`select pg_notify(${EVENTS_CHANNEL}, ${payload})`.catch(() => undefined)
  }

  return {
    ring(runId: string): void {
      rung.add(runId)
      timer ??= setTimeout(flush, FLUSH_AFTER_MS)
    },
    async close(): Promise<void> {
      if (timer !== undefined) {
        clearTimeout(timer)
        flush()
      }
      await sending
    },
  }
}
