import { createLockSession } from './lock-session.ts'

export interface SessionLock {
  /** false once it may have another holder */
  held(): boolean
  release(): Promise<void>
}

/** Locks by name, of which one process at a time has each. */
export interface SessionLocks {
  /** undefined while it is taken, also by this process */
  take(name: string): Promise<SessionLock | undefined>
  close(): Promise<void>
}

/**
 * All locks of the process are on one connection, opened with the first: they end with it. The server ends it when the process gave no sign
 * of life for three seconds, so neither a dead holder nor a hanging one keeps them.
 */
export function createSessionLocks(url: string, name: string): SessionLocks {
  /** replaced when the connection is lost, and every lock with it */
  let held = new Set<string>()
  const inTurn = createTurns()
  const session = createLockSession(url, name, {
    holds_locks: true,
    onLost: () => {
      held = new Set()
    },
  })

  return {
    take: (lock) =>
      inTurn(async () => {
        if (held.has(lock)) return undefined
        const before = held
        const [row] = await session.ask(
          (sql) => sql<{ taken: boolean }[]>`
            select pg_try_advisory_lock(hashtextextended(${`svc:${lock}`}, 0)) as taken`,
        )
        if (row?.taken !== true || held !== before) return undefined
        before.add(lock)
        return {
          held: () => held === before && before.has(lock) && session.alive(),
          release: () =>
            inTurn(async () => {
              if (held !== before || !before.delete(lock)) return
              await session.ask((sql) => sql`select pg_advisory_unlock(hashtextextended(${`svc:${lock}`}, 0))`)
            }).catch(() => undefined),
        }
      }),
    close: session.close,
  }
}

/** Runs work one piece at a time, also after a failure. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let line: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = line.then(work)
    line = done.catch(() => undefined)
    return done
  }
}

/** The name of a session lock that this process has for as long as it lives; a new one where its connection was lost. */
export function createHolder(locks: Pick<SessionLocks, 'take'>, newId: () => string): () => Promise<string> {
  let current: { name: string; lock: SessionLock } | undefined
  return async () => {
    while (current?.lock.held() !== true) {
      const name = `api:${newId()}`
      // a process that has hung learns by its first statement that the server has ended its connection
      const lock = await locks.take(name).catch(() => locks.take(name))
      if (lock !== undefined) current = { name, lock }
    }
    return current.name
  }
}
