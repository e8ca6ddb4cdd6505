import { DomainError } from '#core/errors.ts'
import { createDb, type Db, IDLE_S } from './db.ts'

/** Reads for one workspace: row-level security hides the rows of all others, whatever the query selects. */
export interface TenantDb {
  in<T>(workspaceId: string, query: (db: Db) => PromiseLike<T>): Promise<T>
}

/** Nothing else is ever written into the text of a statement. */
const WORKSPACE_ID = /^ws_[0-9a-z]{26}$/

/** One connection, lent to one read at a time. */
interface Session {
  db: Db
  /** its connection has ended, or is about to */
  lost: boolean
  opened_at: number
  /** ends it when it is idle for long */
  timer?: ReturnType<typeof setTimeout>
}

/** An older session is not lent again: its backend keeps what it has planned. */
const MAX_AGE_MS = 1_800_000

/** Codes of a lost connection: PostgreSQL classes 08 and 57P, the driver's own, the socket's. */
const CONNECTION_LOST = /^(08\w{3}|57P\d{2}|CONNECTION_\w+|CONNECT_TIMEOUT|E[A-Z]+)$/

/**
 * At most `max` sessions that see no row until a workspace is set, which each read does for itself. Each is a pool of one that is dropped
 * with its connection: a larger pool of the driver would lend a lost one again, and answer the first statement of a new one with the end of
 * the old. Idle ones are ended here and not by the driver, which would lend one that it is closing.
 */
export function createTenantDb(
  url: string,
  {
    max = 10,
    name = 'svc-tenant',
    idle_ms = IDLE_S * 1_000,
    ...limits
  }: { max?: number; name?: string; idle_ms?: number; reads_within_ms?: number } = {},
): TenantDb & { end(): Promise<void> } {
  const idle: Session[] = []
  const waiting: ((session: Session) => void)[] = []
  const all = new Set<Session>()

  function open(): Session {
    const session: Session = {
      lost: false,
      opened_at: performance.now(),
      db: createDb(url, {
        ...limits,
        max: 1,
        name,
        workspace: 'none',
        kept: true,
        onClose: () => (session.lost = true),
      }),
    }
    all.add(session)
    return session
  }

  function drop(session: Session): void {
    all.delete(session)
    // nobody reads by it any more; errors of the driver about it no longer matter
    session.db.end({ timeout: 0 }).catch(() => undefined)
  }

  function take(): Promise<Session> | Session {
    // the last used one, so that the others may close
    for (let session = idle.pop(); session !== undefined; session = idle.pop()) {
      clearTimeout(session.timer)
      if (!session.lost) return session
      drop(session)
    }
    return all.size < max ? open() : new Promise((resolve) => waiting.push(resolve))
  }

  function giveBack(session: Session): void {
    const isOver = session.lost || performance.now() - session.opened_at > MAX_AGE_MS
    if (isOver) drop(session)
    const next = waiting.shift()
    if (next !== undefined) next(isOver ? open() : session)
    else if (!isOver) rest(session)
  }

  function rest(session: Session): void {
    idle.push(session)
    session.timer = setTimeout(() => {
      idle.splice(idle.indexOf(session), 1)
      drop(session)
    }, idle_ms)
    session.timer.unref()
  }

  return {
    async in(workspaceId, query) {
      if (!WORKSPACE_ID.test(workspaceId)) throw new DomainError('not_found', 'there is no such workspace')
      const session = await take()
      try {
        return await readAs(session, workspaceId, query)
      } finally {
        giveBack(session)
      }
    },

    async end() {
      await Promise.all(Array.from(all, ({ db }) => db.end({ timeout: 2 })))
    },
  }
}

async function readAs<T>(session: Session, workspaceId: string, query: (db: Db) => PromiseLike<T>): Promise<T> {
  const { db } = session
  try {
    // Sent before the query and with it: one round trip. In the simple protocol, because that is one message which the driver
    // never repeats later; no transaction, because losing the backend inside `begin` would end the process.
    const entered = db.unsafe(`set svc.workspace = '${workspaceId}'`).execute()
    const [, answer] = await Promise.all([entered, query(db)])
    // an answer counts only when the setting before it took effect on the same connection
    if (!session.lost) return answer
  } catch (error) {
    if (error instanceof Error && 'code' in error && CONNECTION_LOST.test(String(error.code))) session.lost = true
    throw error
  }
  throw Object.assign(new Error('the connection was lost while it was read'), { code: 'CONNECTION_CLOSED' })
}

/** For machinery that serves every workspace: reads go through its own pool. */
export function unscoped(db: Db): TenantDb {
  return { in: async (_workspaceId, query) => query(db) }
}
