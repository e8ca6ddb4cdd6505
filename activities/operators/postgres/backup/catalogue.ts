import type { SessionQuery } from '../session.ts'
import type { DatabaseIdentity } from './manifest.ts'

/** What a backup does not hold. A person may say, kind by kind, that it is well so. */
export const KINDS = [
  'partitioned_tables',
  'inherited_tables',
  'foreign_tables',
  'extensions',
  'functions',
  'triggers',
  'event_triggers',
  'rules',
  'row_security',
  'types',
  'large_objects',
  'other',
] as const

export interface NamedObject {
  kind: string
  name: string
}

export interface FoundObject extends NamedObject {
  oid: string
}

const MINE = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`
const NO_MEMBER = (catalogue: string, oid: string) =>
  `not exists (select from pg_depend e where e.classid = '${catalogue}'::regclass and e.objid = ${oid} and e.deptype = 'e')`

/** Settings under which the server writes names with their schemas, and reads all rows or none. */
export const PLAIN_NAMES = { search_path: '', row_security: 'off', extra_float_digits: '1' }

export async function identityOf(sql: SessionQuery): Promise<DatabaseIdentity> {
  const [row] = await sql<DatabaseIdentity[]>`
    select (select system_identifier::text from pg_control_system()) as system, oid::text as oid, datname::text as database,
           current_setting('server_version') as version
    from pg_database where datname = current_database()`
  if (row === undefined) throw new Error('a database knows itself')
  return row
}

/** What is there and is neither the server's own nor an extension's, the first of it: relations, functions, types, schemas. */
export async function foundObjects(sql: SessionQuery): Promise<FoundObject[]> {
  return await sql.unsafe<FoundObject[]>(`
    select 'relation' as kind, format('%I.%I', n.nspname, c.relname) as name, c.oid::text as oid
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c') and ${MINE} and ${NO_MEMBER('pg_class', 'c.oid')}
    union all
    select 'function', format('%I.%I', n.nspname, p.proname), p.oid::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${MINE} and ${NO_MEMBER('pg_proc', 'p.oid')}
    union all
    select 'type', format('%I.%I', n.nspname, t.typname), t.oid::text from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where t.typtype in ('e', 'd', 'r') and ${MINE} and ${NO_MEMBER('pg_type', 't.oid')}
    union all
    select 'schema', format('%I', n.nspname), n.oid::text from pg_namespace n where ${MINE} and n.nspname <> 'public' and ${NO_MEMBER('pg_namespace', 'n.oid')}
    order by 1, 2 limit 20000`)
}

/** What a backup does not hold, by kind and name. */
export async function uncoveredObjects(sql: SessionQuery): Promise<NamedObject[]> {
  const other = [
    ['pg_operator', 'oprname', 'oprnamespace'],
    ['pg_opclass', 'opcname', 'opcnamespace'],
    ['pg_collation', 'collname', 'collnamespace'],
    ['pg_conversion', 'conname', 'connamespace'],
    ['pg_ts_config', 'cfgname', 'cfgnamespace'],
    ['pg_ts_dict', 'dictname', 'dictnamespace'],
    ['pg_statistic_ext', 'stxname', 'stxnamespace'],
  ].map(
    ([catalogue = '', name = '', namespace = '']) =>
      `select 'other', format('%I.%I', n.nspname, o.${name}) from ${catalogue} o join pg_namespace n on n.oid = o.${namespace}
       where ${MINE} and ${NO_MEMBER(catalogue, 'o.oid')}`,
  )
  return await sql.unsafe<NamedObject[]>(`
    select case when c.relkind = 'p' or c.relispartition then 'partitioned_tables' when c.relkind = 'f' then 'foreign_tables' else 'inherited_tables' end as kind,
           format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'f') and ${MINE} and ${NO_MEMBER('pg_class', 'c.oid')}
      and (c.relkind in ('p', 'f') or c.relispartition or exists (select from pg_inherits i where c.oid in (i.inhrelid, i.inhparent)))
    union all
    select 'extensions', format('%I', extname) from pg_extension where extname <> 'plpgsql'
    union all
    select 'functions', format('%I.%I', n.nspname, p.proname) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${MINE} and ${NO_MEMBER('pg_proc', 'p.oid')}
    union all
    select 'triggers', format('%I on %I.%I', t.tgname, n.nspname, c.relname)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace where not t.tgisinternal and ${MINE}
    union all
    select 'event_triggers', format('%I', evtname) from pg_event_trigger
    union all
    select 'rules', format('%I on %I.%I', r.rulename, n.nspname, c.relname)
    from pg_rewrite r join pg_class c on c.oid = r.ev_class join pg_namespace n on n.oid = c.relnamespace where r.rulename <> '_RETURN' and ${MINE}
    union all
    select 'row_security', format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relrowsecurity and ${MINE}
    union all
    select 'types', format('%I.%I', n.nspname, t.typname)
    from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
    where ${MINE} and ${NO_MEMBER('pg_type', 't.oid')} and (t.typtype in ('d', 'r') or (t.typtype = 'b' and t.typcategory <> 'A') or (t.typtype = 'c' and c.relkind = 'c'))
    union all
    (select 'large_objects', oid::text from pg_largeobject_metadata limit 1000)
    union all ${other.join(' union all ')}
    order by 1, 2`)
}
