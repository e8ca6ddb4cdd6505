import type { SessionQuery } from './postgres-session.ts'
import { conflicts, type LockMode } from './sql-locks.ts'

/** Table locks that this session holds, without the catalog's. */
export async function heldLocks(sql: SessionQuery): Promise<{ relation: string; mode: string }[]> {
  const rows = await sql<{ relation: string; mode: string }[]>`
    select l.relation::regclass::text as relation, l.mode
    from pg_catalog.pg_locks l
    join pg_catalog.pg_class c on c.oid = l.relation
    where l.pid = pg_catalog.pg_backend_pid() and l.locktype = 'relation' and l.granted
      and c.relnamespace <> 'pg_catalog'::regnamespace
    order by 1, 2`
  return rows.map(({ relation, mode }) => ({ relation, mode }))
}

export type LockHolder = {
  relation: string
  mode: string
  pid: number
  since: string | null
  application: string
  blocks: boolean
}

/** Who holds locks on the named tables now, and which of them would make a statement that wants `wanted` wait. */
export async function lockHolders(sql: SessionQuery, tables: string[], wanted: LockMode): Promise<LockHolder[]> {
  const rows = await sql<Omit<LockHolder, 'blocks'>[]>`
    select l.relation::regclass::text as relation, l.mode, l.pid, a.xact_start::text as since,
           coalesce(a.application_name, '') as application
    from pg_catalog.pg_locks l
    left join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.pid <> pg_catalog.pg_backend_pid()
      and l.relation in (select pg_catalog.to_regclass(name)::oid from unnest(${tables}::text[]) as t (name))
    order by 1, 2, 3`
  return rows.map(({ relation, mode, pid, since, application }) => ({
    relation,
    mode,
    pid,
    since,
    application,
    blocks: conflicts(wanted, mode),
  }))
}
