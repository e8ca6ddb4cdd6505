import type { Db } from '../db.ts'

/** One workspace, for the tools of the ask agent: with a role that can only read it. */
export interface AskRead {
  workspace_id: string
  in<T>(query: (db: Db) => PromiseLike<T>): Promise<T>
}

/** Limit of counts. */
export const COUNTED = 10_000
