import type { Db } from '../db.ts'
import { paced } from '../sql/paced.ts'

const EVENTS_CHANNEL = 'svc_events'
/** The first notification is sent at once, later ones are joined. */
const REST_MS = 40
/** A NOTIFY payload holds 8,000 bytes; beyond this many runs watchers read everything that they watch. */
const MAX_NAMED = 200

/** Sends one NOTIFY per flush for all changed runs. A lost one delays a watcher by one poll at most. */
export function createRunNotifier(db: Db) {
  const changed = new Set<string>()
  const flush = paced(async () => {
    const payload = changed.size > MAX_NAMED ? '*' : JSON.stringify([...changed])
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

/** Is given the runs that have changed; undefined means any run. Correctness never depends on it: listeners poll as well. */
type RunListener = (runIds: string[] | undefined) => void

export interface RunNotifications {
  /** Calls the listener for every notification until the returned function is called. */
  on(listener: RunListener): () => void
  /** Calls for every notification that may be about this run until the returned function is called. */
  subscribe(runId: string, onChange: () => void): () => void
  close(): Promise<void>
}

/** Listens with one connection for the whole process. After a reconnect it notifies of any run, as notifications may have been missed. */
export async function listenForRuns(db: Db): Promise<RunNotifications> {
  const listeners = new Set<RunListener>()
  const notify = (runIds: string[] | undefined) => {
    for (const listener of listeners) listener(runIds)
  }
  const listening = await db.listen(
    EVENTS_CHANNEL,
    (payload) => notify(parse(payload)),
    () => notify(undefined),
  )
  const on: RunNotifications['on'] = (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    on,
    subscribe: (runId, onChange) =>
      on((runIds) => {
        if (runIds === undefined || runIds.includes(runId)) onChange()
      }),
    async close() {
      listeners.clear()
      await listening.unlisten().catch(() => {})
    },
  }
}

function parse(payload: string): string[] | undefined {
  try {
    const runIds: unknown = JSON.parse(payload)
    return Array.isArray(runIds) && runIds.every((id) => typeof id === 'string') ? runIds : undefined
  } catch {
    return undefined
  }
}
