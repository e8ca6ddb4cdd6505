import type { SessionLock, SessionLocks } from './session-locks.ts'

/** The name of a session lock that this process has for as long as it lives; a new one where its connection was lost. */
export function createHolder(locks: Pick<SessionLocks, 'take'>, newId: () => string): () => Promise<string> {
  let current: { name: string; lock: SessionLock } | undefined
  return async () => {
    while (current?.lock.held() !== true) {
      const name = `api:${newId()}`
      const lock = await locks.take(name)
      if (lock !== undefined) current = { name, lock }
    }
    return current.name
  }
}
