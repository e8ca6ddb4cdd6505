import postgres from 'postgres'
import { reconnectDelay, splitUrl } from './db.ts'

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
  const { tcp, socket } = splitUrl(url)
  const sql = postgres(tcp, {
    ...socket,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    backoff: reconnectDelay,
    // no arrays here; see createDb
    fetch_types: false,
    connection: { application_name: `svc-lease-${name}` },
    onnotice: () => undefined,
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
