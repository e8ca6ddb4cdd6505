import { setTimeout as sleep } from 'node:timers/promises'
import lockfile from 'proper-lockfile'

const STALE_MS = 10_000
const ASK_EVERY_MS = 500

/** Does some work on a directory while no other process does; one that died is passed over. */
export async function oneAtATime<T>(dir: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  const release = await lock(dir, onWait)
  try {
    return await work()
  } finally {
    // where somebody has deleted the cache meanwhile there is nothing to release
    await release().catch(() => undefined)
  }
}

async function lock(dir: string, onWait: () => void): Promise<() => Promise<void>> {
  for (let waited = false; ; waited = true) {
    try {
      return await lockfile.lock(dir, { stale: STALE_MS, onCompromised: () => undefined })
    } catch (error) {
      // any other refusal lasts: a directory that cannot be written, a full disk
      if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error
    }
    if (!waited) onWait()
    await sleep(ASK_EVERY_MS)
  }
}
