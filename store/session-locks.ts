import { reconnectDelay } from './db.ts'
import { lockSession } from './lock-session.ts'
import { createTurns } from './turns.ts'

export interface SessionLock {
  /** false once it may be somebody else's */
  held(): boolean
  release(): Promise<void>
}

/** Locks by name, of which one process at a time has each. */
export interface SessionLocks {
  /** undefined while somebody has it, be it in this process */
  take(name: string): Promise<SessionLock | undefined>
  close(): Promise<void>
}

/** All locks of the process stand on one connection, opened with the first: they fall with it, so a dead holder needs no expiry. */
export function createSessionLocks(url: string, name: string): SessionLocks {
  /** replaced when the connection is lost, and every lock with it */
  let held = new Set<string>()
  const inTurn = createTurns()
  const sql = lockSession(url, name, {
    backoff: reconnectDelay,
    // no arrays here; see createDb
    fetch_types: false,
    onclose: () => {
      held = new Set()
    },
  })

  return {
    take: (lock) =>
      inTurn(async () => {
        if (held.has(lock)) return undefined
        const [row] = await sql<{ taken: boolean }[]>`
          select pg_try_advisory_lock(hashtextextended(${`svc:${lock}`}, 0)) as taken`
        if (row?.taken !== true) return undefined
        const session = held
        session.add(lock)
        return {
          held: () => held === session && session.has(lock),
          release: () =>
            inTurn(async () => {
              if (held !== session || !session.delete(lock)) return
              await sql`select pg_advisory_unlock(hashtextextended(${`svc:${lock}`}, 0))`
            }).catch(() => undefined),
        }
      }),
    async close() {
      await sql.end({ timeout: 2 })
    },
  }
}
