import type { LockMode } from './lock-modes.ts'

const EFFECTS: Record<LockMode, string> = {
  AccessShareLock: 'reads and writes go on; DROP, TRUNCATE, VACUUM FULL and most of ALTER TABLE wait',
  RowShareLock: 'reads and writes go on; DROP, TRUNCATE, VACUUM FULL and most of ALTER TABLE wait',
  RowExclusiveLock: 'reads and writes of other rows go on; schema changes and plain index builds wait',
  ShareUpdateExclusiveLock:
    'reads and writes go on; schema changes, index builds, VACUUM and ANALYZE of the table wait',
  ShareLock: 'reads go on; writes wait',
  ShareRowExclusiveLock: 'reads go on; writes wait',
  ExclusiveLock: 'reads go on; writes and SELECT FOR UPDATE wait',
  AccessExclusiveLock: 'reads and writes wait',
}

/** Describes what other sessions can do with a table during a lock. */
export function lockEffect(mode: LockMode): string {
  return EFFECTS[mode]
}

/** A name as written; without a schema the session's search path applies. */
export interface SqlName {
  schema: string | undefined
  name: string
}

/** Facts of the grammar about one statement, without a server. */
export interface SqlStatement {
  /** as people call it: `SELECT`, `ALTER TABLE` */
  command: string
  /** type of the root node, for example `DeleteStmt` */
  root: string
  /** types of all nodes of the tree */
  nodes: Set<string>
  /** tables, views and indexes that it names, for people's eyes */
  relations: SqlName[]
  /** every name that could be a relation's, also those that a `WITH` hides */
  anyRelations: SqlName[]
  functions: SqlName[]
  operators: SqlName[]
  types: SqlName[]
  /** names after a dot: a column, or a function that is called in a column's notation */
  attributes: string[]
}
