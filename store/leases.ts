import { type HeldLease, isHeld, LEASE_MS, type LeaseToken, RENEW_EVERY_MS, renewed, taken } from '#core/lease/lease.ts'
import { createLockSession } from './sql/lock-session.ts'

export interface Lease {
  token: LeaseToken
  /** false before the database may give it to another process; asked by the monotonic clock, without a round trip */
  held(): boolean
  release(): Promise<void>
}

/** The leases of one process, which are renewed together. */
export interface Leases {
  /** undefined while it is taken, also by this process; `onLost` is called once if it is lost before it is released */
  take(name: string, onLost?: () => void): Promise<Lease | undefined>
  /** id of the database of these leases: a restored copy has another one */
  domain(): Promise<string>
  close(): Promise<void>
}

interface Entry {
  lease: HeldLease
  onLost(): void
}

/** A lease outlives a lost connection: a holder that renews it in time over another one keeps it. */
export function createLeases(url: string, holder: string): Leases {
  const now = () => performance.now()
  const entries = new Map<string, Entry>()
  const asking = new Set<string>()
  const { ask, close } = createLockSession(url, 'svc-leases', { holds_locks: false })
  let beat: ReturnType<typeof setInterval> | undefined
  let renewing: Promise<void> | undefined

  function lose(name: string, entry: Entry): void {
    if (entries.get(name) !== entry) return
    entries.delete(name)
    entry.onLost()
  }

  function loseExpired(): void {
    for (const [name, entry] of [...entries]) if (!isHeld(entry.lease, now())) lose(name, entry)
  }

  async function renew(): Promise<void> {
    const held = [...entries]
    if (held.length === 0) return
    const sent_at = now()
    const names = held.map(([name]) => name).join(',')
    const epochs = held.map(([, { lease }]) => lease.epoch).join(',')
    const kept = await ask(
      (session) => session<{ name: string }[]>`
        select renew_leases(${holder}, string_to_array(${names}, ','), string_to_array(${epochs}, ',')::bigint[], ${LEASE_MS})
          as name`,
    )
    const answered_at = now()
    for (const [name, entry] of held) {
      if (kept.some((row) => row.name === name)) entry.lease = renewed(entry.lease, sent_at, answered_at)
      else lose(name, entry)
    }
  }

  function tick(): void {
    loseExpired()
    // a failure is retried with the next beat, until the lease has expired
    renewing ??= renew()
      .catch(() => undefined)
      .finally(() => {
        loseExpired()
        renewing = undefined
      })
  }

  return {
    async take(name, onLost = () => undefined) {
      if (entries.has(name) || asking.has(name)) return undefined
      asking.add(name)
      try {
        const sent_at = now()
        const [row] = await ask(
          (session) => session<{ epoch: string | null }[]>`
            select take_lease(${name}, ${holder}, ${LEASE_MS}) as epoch`,
        )
        if (row === undefined || row.epoch === null) return undefined
        const entry: Entry = { lease: taken(Number(row.epoch), sent_at), onLost }
        entries.set(name, entry)
        beat ??= setInterval(tick, RENEW_EVERY_MS)
        const { epoch } = entry.lease
        return {
          token: { name, epoch },
          held: () => entries.get(name) === entry && isHeld(entry.lease, now()),
          async release() {
            if (entries.get(name) === entry) entries.delete(name)
            const given = ask(
              (session) => session`
                update leases set expires_at = clock_timestamp() where name = ${name} and epoch = ${epoch}`,
            )
            // it expires anyway
            await given.catch(() => undefined)
          },
        }
      } finally {
        asking.delete(name)
      }
    },
    async domain() {
      const [row] = await ask(
        (session) => session<{ domain: string }[]>`
          select c.system_identifier || ':' || d.oid as domain
          from pg_control_system() c, pg_database d where d.datname = current_database()`,
      )
      return String(row?.domain)
    },
    async close() {
      clearInterval(beat)
      await renewing
      await close()
    },
  }
}
