import { reconnectDelay } from './db.ts'
import { lockSession } from './lock-session.ts'

export interface Lease {
  held(): boolean
  release(): Promise<void>
}

/**
 * Tries to become the only holder of a named session lock; undefined when another process holds it. The lock lives on a
 * connection of its own, so it falls with the process or the connection, and `onLost` tells.
 */
export async function tryLease(url: string, name: string, onLost: () => void): Promise<Lease | undefined> {
  let held = false
  const sql = lockSession(url, `svc-lease-${name}`, {
    backoff: reconnectDelay,
    // no arrays here; see createDb
    fetch_types: false,
    onclose: () => {
      if (!held) return
      held = false
      onLost()
    },
  })
  const [row] = await sql<{ locked: boolean }[]>`select pg_try_advisory_lock(hashtext(${`svc:${name}`})) as locked`
  if (row?.locked !== true) {
    await sql.end({ timeout: 1 })
    return undefined
  }
  held = true
  return {
    held: () => held,
    async release() {
      held = false
      await sql.end({ timeout: 1 })
    },
  }
}
