import { conflicts, type LockMode } from '#core/sql/lock-modes.ts'
import type { SqlName } from '#core/sql/statement.ts'
import type { SessionQuery } from '../session.ts'

/** A relation that a statement names, as the catalogue knows it. */
export type NamedRelation = {
  relation: string
  kind: string
  /** what the statistics say; -1 where it was never analyzed */
  rows: number
  bytes: number
  /** what else happens when it is written: by triggers, and in tables whose foreign keys follow */
  triggers: string[]
  followed_by: string[]
}

export type LockHolder = {
  relation: string
  mode: string
  pid: number
  since: string | null
  application: string
  blocks: boolean
}

const KINDS: Record<string, string> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  i: 'index',
  I: 'partitioned index',
  S: 'sequence',
  f: 'foreign table',
}

/** The named relations that there are, by the statistics: no lock is taken to look. */
export async function namedRelations(sql: SessionQuery, names: SqlName[]): Promise<NamedRelation[]> {
  const rows = await sql<NamedRelation[]>`
    select pg_catalog.format('%I.%I', n.nspname, c.relname) as relation, c.relkind as kind, c.reltuples::pg_catalog.float8 as rows,
           c.relpages::pg_catalog.float8 * pg_catalog.current_setting('block_size')::pg_catalog.float8 as bytes,
           array(select t.tgname::pg_catalog.text from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D' order by 1) as triggers,
           array(select distinct pg_catalog.format('%I.%I', fn.nspname, fc.relname) from pg_catalog.pg_constraint k
             join pg_catalog.pg_class fc on fc.oid = k.conrelid join pg_catalog.pg_namespace fn on fn.oid = fc.relnamespace
             where k.confrelid = c.oid and k.contype = 'f' and (k.confdeltype in ('c', 'n', 'd') or k.confupdtype in ('c', 'n', 'd')) order by 1) as followed_by
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.oid in (${relationOids(sql, names)})
    order by 1`
  return rows.map((row) => ({ ...row, kind: KINDS[row.kind] ?? row.kind }))
}

/** Who holds locks on the named relations and their tables now, and which of them would make a statement that wants `wanted` wait. */
export async function lockHolders(sql: SessionQuery, names: SqlName[], wanted: LockMode): Promise<LockHolder[]> {
  const rows = await sql<Omit<LockHolder, 'blocks'>[]>`
    with named as (${relationOids(sql, names)})
    select pg_catalog.format('%I.%I', n.nspname, c.relname) as relation, l.mode, l.pid, a.xact_start::pg_catalog.text as since,
           coalesce(a.application_name, '') as application
    from pg_catalog.pg_locks l
    join pg_catalog.pg_class c on c.oid = l.relation
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'relation' and l.granted and l.pid <> pg_catalog.pg_backend_pid()
      and l.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
      and l.relation in (select oid from named union select i.indrelid from pg_catalog.pg_index i join named on i.indexrelid = named.oid)
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

/** Found as the server will: in the schema that is named, else in the first of the search path that has it. */
export function relationOids(sql: SessionQuery, names: SqlName[]) {
  return sql`
    select found.oid
    from unnest(${names.map(({ schema }) => schema ?? '')}::pg_catalog.text[], ${names.map(({ name }) => name)}::pg_catalog.text[]) as w (schema, name)
    cross join lateral (
      select c.oid from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.relname = w.name and (n.nspname = w.schema or (w.schema = '' and n.nspname = any (pg_catalog.current_schemas(true))))
      order by pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname) limit 1
    ) as found`
}
