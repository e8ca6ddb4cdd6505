import type { Db } from '../db.ts'

/** One workspace, as the tools of the ask agent read it: with a role that sees nothing beyond it, and changes nothing. */
export interface AskRead {
  workspace_id: string
  in<T>(query: (db: Db) => PromiseLike<T>): Promise<T>
}

/** Nobody counts further. */
export const COUNTED = 10_000
