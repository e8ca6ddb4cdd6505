const USUAL_POLL_MS = 1_000

export interface FollowStoreOptions {
  /** reads the store, and takes over what has changed */
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
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  let failing = false

  async function readAndRecover(): Promise<void> {
    await read()
    failing = false
  }

  function reload(): Promise<void> {
    waiting += 1
    const next = last.then(readAndRecover, readAndRecover).finally(() => {
      waiting -= 1
    })
    last = next
    return next
  }

  const timer = setInterval(() => {
    if (waiting > 0) return
    reload().catch((error: unknown) => {
      if (!failing) onFailure(error)
      failing = true
    })
  }, poll_ms)
  timer.unref()
  return { reload, close: () => clearInterval(timer) }
}
