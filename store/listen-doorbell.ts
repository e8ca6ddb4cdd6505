import type { Db } from './db.ts'
import { EVENTS_CHANNEL } from './doorbell.ts'

/** Hears which runs have news; undefined means any run. Correctness never depends on it: listeners poll as well. */
type DoorbellListener = (runIds: string[] | undefined) => void

export interface DoorbellFeed {
  /** Calls the listener for every ring until the returned function is called. */
  on(listener: DoorbellListener): () => void
  /** Calls for every ring that may be about this run until the returned function is called. */
  hear(runId: string, news: () => void): () => void
  close(): Promise<void>
}

/** Listens with one connection for the whole process. After a reconnect it rings for any run, as rings may have been missed. */
export async function listenDoorbell(db: Db): Promise<DoorbellFeed> {
  const listeners = new Set<DoorbellListener>()
  const ring = (runIds: string[] | undefined) => {
    for (const listener of listeners) listener(runIds)
  }
  const listening = await db.listen(
    EVENTS_CHANNEL,
    (payload) => ring(parse(payload)),
    () => ring(undefined),
  )
  const on: DoorbellFeed['on'] = (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    on,
    hear: (runId, news) =>
      on((runIds) => {
        if (runIds === undefined || runIds.includes(runId)) news()
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
