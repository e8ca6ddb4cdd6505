const USUAL_POLL_MS = 1_000

export interface FollowStoreOptions {
  /** reads the store, and takes over what has changed */
  lookOnce(): Promise<void>
  /** told once of every stretch of looks that fail */
  onFailure(error: unknown): void
  /** how often it is looked at what other processes have written; 1,000 */
  poll_ms?: number | undefined
}

export interface FollowedStore {
  /** what was written before the call is taken over when it resolves. Rejects when the store does not answer */
  look(): Promise<void>
  close(): void
}

/** Looks at a store again and again, one look after the other, so that an older answer never follows a newer one. */
export function followStore({ lookOnce, onFailure, poll_ms = USUAL_POLL_MS }: FollowStoreOptions): FollowedStore {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  let failing = false

  async function lookAndRecover(): Promise<void> {
    await lookOnce()
    failing = false
  }

  function look(): Promise<void> {
    waiting += 1
    const next = last.then(lookAndRecover, lookAndRecover).finally(() => {
      waiting -= 1
    })
    last = next
    return next
  }

  const timer = setInterval(() => {
    if (waiting > 0) return
    look().catch((error: unknown) => {
      if (!failing) onFailure(error)
      failing = true
    })
  }, poll_ms)
  timer.unref()
  return { look, close: () => clearInterval(timer) }
}
