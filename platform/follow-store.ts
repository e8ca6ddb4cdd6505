import { coalesced } from '#core/coalesced.ts'

const USUAL_POLL_MS = 1_000

export interface FollowStoreOptions {
  /** reads the store, and applies its changes */
  read(): Promise<void>
  /** called once for every series of reads that fail */
  onFailure(error: unknown): void
  /** interval of polling for writes of other processes; 1,000 */
  poll_ms?: number | undefined
}

export interface FollowedStore {
  /** resolves when earlier writes are loaded. Rejects when the store does not answer */
  reload(): Promise<void>
  close(): void
}

/** Polls a store, one read after the other, so that an older answer never follows a newer one. */
export function followStore({ read, onFailure, poll_ms = USUAL_POLL_MS }: FollowStoreOptions): FollowedStore {
  let failing = false
  const reload = coalesced(async () => {
    await read()
    failing = false
  })

  const timer = setInterval(() => {
    reload().catch((error: unknown) => {
      if (!failing) onFailure(error)
      failing = true
    })
  }, poll_ms)
  timer.unref()
  return { reload, close: () => clearInterval(timer) }
}
