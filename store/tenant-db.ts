import { DomainError } from '#core/errors.ts'
import { createDb, type Db } from './db.ts'

/** Reads in the name of one workspace: row-level security hides the rows of all others, whatever the query says. */
export interface TenantDb {
  in<T>(workspaceId: string, query: (db: Db) => PromiseLike<T>): Promise<T>
}

/** Nothing else is ever written into the text of a statement. */
const WORKSPACE_ID = /^ws_[0-9a-z]{26}$/

/** A pool of sessions that see nothing until a workspace is named, which each read does for itself. */
export function createTenantDb(
  url: string,
  options: { max?: number; name?: string } = {},
): TenantDb & { end(): Promise<void> } {
  const pool = createDb(url, { max: options.max ?? 10, name: options.name ?? 'svc-tenant', workspace: 'none' })
  return {
    async in(workspaceId, query) {
      if (!WORKSPACE_ID.test(workspaceId)) throw new DomainError('not_found', 'there is no such workspace')
      const session = await pool.reserve()
      try {
        // Sent before the query and with it: one round trip. In the simple protocol, because that is one message which the
        // driver never repeats later; no transaction, because losing the backend inside `begin` would end the process.
        const entered = session.unsafe(`set svc.workspace = '${workspaceId}'`).execute()
        // an answer counts only when the setting before it took effect
        const [, answer] = await Promise.all([entered, query(session)])
        return answer
      } finally {
        session.release()
      }
    },
    end: () => pool.end({ timeout: 2 }),
  }
}

/** For machinery that serves every workspace: reads go through its own pool. */
export function unscoped(db: Db): TenantDb {
  return { in: async (_workspaceId, query) => query(db) }
}
