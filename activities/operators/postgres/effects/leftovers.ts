import { OperatorError } from '#core/operator.ts'
import type { Session } from '../session.ts'
import { relationOids } from './locks.ts'
import type { ParsedSql } from './sql-grammar.ts'

/** Statements that leave an index behind which nobody can use, when they fail outside of a transaction. */
const LEAVING = new Set(['ReindexStmt', 'IndexStmt', 'DropStmt'])

/** The failure, with the invalid indexes that are there now and how to remove them. Another attempt would leave one more. */
export async function withLeftovers(failure: unknown, session: Session, { statement }: ParsedSql): Promise<unknown> {
  if (!(failure instanceof OperatorError) || !LEAVING.has(statement.root)) return failure
  const left = await invalidIndexes(session, statement.relations).catch(() => [])
  if (left.length === 0) return failure
  const { code, message, unknown_outcome, cost, details, cause } = failure
  const drops = left.map((index) => `DROP INDEX CONCURRENTLY ${index}`).join('; ')
  const says = `${message}; ${left.join(', ')} is invalid now: it costs every write and serves no read. Remove it: ${drops}`
  return new OperatorError(code, says, {
    unknown_outcome,
    cost,
    details: { ...details, invalid_indexes: left },
    cause,
  })
}

/** Invalid indexes of the named tables, or of the tables whose indexes are named; what somebody builds just now is none. */
async function invalidIndexes(session: Session, names: ParsedSql['statement']['relations']): Promise<string[]> {
  const sql = session.sql()
  const rows = await sql<{ index: string }[]>`
    with named as (${relationOids(sql, names)}), tables as (
      select oid from named
      union select i.indrelid from pg_catalog.pg_index i join named on i.indexrelid = named.oid
      union select c.reltoastrelid from pg_catalog.pg_class c join named on c.oid = named.oid
    )
    select pg_catalog.format('%I.%I', n.nspname, c.relname) as index
    from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indexrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where not i.indisvalid and c.relkind = 'i' and i.indrelid in (select oid from tables)
      and not exists (select from pg_catalog.pg_stat_progress_create_index p where p.index_relid = c.oid)
    order by 1`
  return rows.map(({ index }) => index)
}
