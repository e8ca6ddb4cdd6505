import { mkdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import lockfile from 'proper-lockfile'
import { DomainError } from '#core/errors.ts'

/** A writer that died without releasing its lock is succeeded after this time. */
const STALE_MS = 3000
const HEARTBEAT_MS = 1000
const RETRY_MS = 100

/** The right to append to a log. `held` turns false when the lock was lost, for example because the machine slept. */
export interface WriterLock {
  held(): boolean
  /** Takes a lost lock again; rejects while another writer holds it. */
  retake(): Promise<void>
  release(): Promise<void>
}

/** Takes the writer lock of a log (`<path>.lock`), waiting up to `wait_ms` for another writer to leave. */
export const acquireWriterLock = async (
  path: string,
  { wait_ms, onLost }: { wait_ms: number; onLost: (cause: Error) => void },
): Promise<WriterLock> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Two spellings of one directory must meet at one lock.
  const target = join(await realpath(dirname(path)), basename(path))
  let release: (() => Promise<void>) | undefined

  const take = async (retries: number): Promise<void> => {
    try {
      release = await lockfile.lock(target, {
        realpath: false,
        stale: STALE_MS,
        update: HEARTBEAT_MS,
        retries: { retries, minTimeout: RETRY_MS, maxTimeout: RETRY_MS, factor: 1 },
        onCompromised(cause) {
          release = undefined
          onLost(cause)
        },
      })
    } catch (cause) {
      throw new DomainError(
        'audit_unavailable',
        `another process writes ${path}, or its lock cannot be taken`,
        {},
        { cause },
      )
    }
  }

  await take(Math.ceil(wait_ms / RETRY_MS))
  return {
    held: () => release !== undefined,
    retake: () => take(0),
    async release() {
      const leave = release
      release = undefined
      await leave?.()
    },
  }
}
