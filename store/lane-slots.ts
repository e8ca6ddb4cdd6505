import type { Lane } from '#core/contract.ts'
import { createLockSession } from './sql/lock-session.ts'
import { createTurns } from './sql/session-locks.ts'

export interface LaneSlot {
  release(): Promise<void>
}

/** The share of a lane that a workspace with a limit may use, over all workers. */
export interface LaneSlots {
  /** Takes one of `limit` slots; undefined when all are taken. */
  take(workspaceId: string, lane: Lane, limit: number): Promise<LaneSlot | undefined>
  close(): Promise<void>
}

/**
 * Slots are session locks on one connection, which is opened with the first of them: they end with the process that holds them, and the
 * server ends the connection of one that hangs. If only the connection is lost, running work continues, and until its end the workspace may
 * be over its limit.
 */
export function createLaneSlots(url: string): LaneSlots {
  /** numbers of the slots that this process holds, by lock name: a session could take the same lock twice */
  const held = new Map<string, Set<number>>()
  const inTurn = createTurns()
  const session = createLockSession(url, 'svc-lane-slots', { holds_locks: true, onLost: () => held.clear() })

  async function lock(name: string, limit: number): Promise<number | undefined> {
    const mine = [...(held.get(name) ?? [])]
    const [row] = await session.ask(
      (sql) => sql<{ number: number }[]>`
        with free as materialized (
          select number from generate_series(1, ${limit}::integer) as number
          where number <> all(string_to_array(${mine.join(',')}, ',')::integer[])
        )
        select number from free where pg_try_advisory_lock(hashtext(${name}), number) limit 1`,
    )
    return row?.number
  }

  return {
    take: (workspaceId, lane, limit) =>
      inTurn(async () => {
        const name = `svc:lane:${lane}:${workspaceId}`
        const number = await lock(name, limit)
        if (number === undefined) return undefined
        const numbers = held.get(name) ?? new Set()
        held.set(name, numbers.add(number))
        return {
          release: () =>
            inTurn(async () => {
              // after the loss of the connection the number may have another holder
              if (held.get(name) !== numbers) return
              await session.ask((sql) => sql`select pg_advisory_unlock(hashtext(${name}), ${number}::integer)`)
              numbers.delete(number)
              if (numbers.size === 0) held.delete(name)
            }).catch(() => undefined),
        }
      }),
    close: session.close,
  }
}
