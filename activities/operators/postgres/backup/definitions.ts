import type { SessionQuery } from '../session.ts'
import type { SequenceBackup } from './manifest.ts'

export interface TableDefinition {
  name: string
  columns: string[]
  bytes: number
  may_read: boolean
}

export interface Definitions {
  tables: TableDefinition[]
  sequences: (SequenceBackup & { may_read: boolean })[]
  before: string[]
  after: string[]
}

/** Tables that a backup holds: plain ones, neither part nor parent of another. */
const TABLES = `
  with svc_tables as materialized (
    select c.oid, c.relname, n.nspname, format('%I.%I', n.nspname, c.relname) as name, c.relpersistence, c.reloptions
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and not c.relispartition and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and n.nspname <> 'svc_restore'
      and not exists (select from pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
      and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  ), svc_sequences as materialized (
    select c.oid, format('%I.%I', n.nspname, c.relname) as name, d.refobjid as owner, d.refobjsubid as owner_column, coalesce(d.deptype = 'i', false) as is_identity,
           format('as %s increment by %s minvalue %s maxvalue %s start with %s cache %s%s', format_type(s.seqtypid, null), s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache,
             case when s.seqcycle then ' cycle' else '' end) as options
    from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i') and d.refobjsubid > 0
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  )`

/** Views, each after those that it reads. */
const VIEWS = `
  with recursive svc_views as materialized (
    select c.oid, c.relkind, format('%I.%I', n.nspname, c.relname) as name, c.reloptions
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('v', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and not exists (select from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  ), svc_reads as materialized (
    select distinct v.oid, d.refobjid from svc_views v join pg_rewrite r on r.ev_class = v.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass and d.refobjid in (select oid from svc_views) and d.refobjid <> v.oid
  ), svc_depths as (
    select oid, 0 as depth from svc_views
    union
    select r.oid, d.depth + 1 from svc_depths d join svc_reads r on r.refobjid = d.oid where d.depth < 1000
  )`

const statements = async (sql: SessionQuery, text: string) =>
  (await sql.unsafe<{ statement: string }[]>(text)).map(({ statement }) => statement)

/** Reads the tables to copy, and the statements that make them and what depends on them again. */
export async function readDefinitions(sql: SessionQuery): Promise<Definitions> {
  const tables = await sql.unsafe<TableDefinition[]>(`${TABLES}
    select t.name, array(select format('%I', a.attname) from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
           pg_table_size(t.oid)::float8 as bytes, has_schema_privilege(t.nspname, 'USAGE') and has_table_privilege(t.oid, 'SELECT') as may_read
    from svc_tables t order by t.name`)
  const sequences = await sql.unsafe<Definitions['sequences']>(`${TABLES}
    select s.name, coalesce(case when has_sequence_privilege(s.oid, 'SELECT') then pg_sequence_last_value(s.oid) end::text, '') as last_value, has_sequence_privilege(s.oid, 'SELECT') as may_read
    from svc_sequences s where not s.is_identity or s.owner in (select oid from svc_tables) order by s.name`)
  return { tables, sequences, before: await makesTables(sql), after: await makesTheRest(sql) }
}

async function makesTables(sql: SessionQuery): Promise<string[]> {
  const schemas = await statements(
    sql,
    `select format('create schema %I', n.nspname) as statement from pg_namespace n
     where n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')
       and not exists (select from pg_depend e where e.classid = 'pg_namespace'::regclass and e.objid = n.oid and e.deptype = 'e') order by n.nspname`,
  )
  const types = await statements(
    sql,
    `select format('create type %I.%I as enum (%s)', n.nspname, t.typname, (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)) as statement
     from pg_type t join pg_namespace n on n.oid = t.typnamespace
     where t.typtype = 'e' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       and not exists (select from pg_depend e where e.classid = 'pg_type'::regclass and e.objid = t.oid and e.deptype = 'e') order by 1`,
  )
  const sequences = await statements(
    sql,
    `${TABLES} select format('create sequence %s %s', name, options) as statement from svc_sequences where not is_identity order by name`,
  )
  const tables = await statements(
    sql,
    `${TABLES}
     select format('create %stable %s (%s)%s', case when t.relpersistence = 'u' then 'unlogged ' else '' end, t.name, coalesce((
       select string_agg(concat_ws(' ', format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)),
         case when a.attcollation <> y.typcollation then (select format('collate %I.%I', cn.nspname, c.collname) from pg_collation c join pg_namespace cn on cn.oid = c.collnamespace where c.oid = a.attcollation) end,
         case when a.attgenerated = 's' then format('generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid))
              when a.attgenerated = 'v' then format('generated always as (%s) virtual', pg_get_expr(d.adbin, d.adrelid))
              when a.attidentity <> '' then (select format('generated %s as identity (sequence name %s %s)', case a.attidentity when 'a' then 'always' else 'by default' end, s.name,
                regexp_replace(s.options, '^as [a-z]+ ', '')) from svc_sequences s where s.is_identity and s.owner = t.oid and s.owner_column = a.attnum)
              when d.adbin is not null then format('default %s', pg_get_expr(d.adbin, d.adrelid)) end,
         case when a.attnotnull then 'not null' end), ', ' order by a.attnum)
       from pg_attribute a join pg_type y on y.oid = a.atttypid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped), ''),
       case when t.reloptions is null then '' else format(' with (%s)', array_to_string(t.reloptions, ', ')) end) as statement
     from svc_tables t order by t.name`,
  )
  return [...schemas, ...types, ...sequences, ...tables]
}

async function makesTheRest(sql: SessionQuery): Promise<string[]> {
  const owned = await statements(
    sql,
    `${TABLES}
     select format('alter sequence %s owned by %s.%I', s.name, t.name, a.attname) as statement
     from svc_sequences s join svc_tables t on t.oid = s.owner join pg_attribute a on a.attrelid = t.oid and a.attnum = s.owner_column where not s.is_identity order by s.name`,
  )
  // keys first, because references stand on them; invalid indexes serve nobody and are not made
  const constraints = (types: string) =>
    statements(
      sql,
      `${TABLES}
       select format('alter table %s add constraint %I %s', t.name, k.conname, pg_get_constraintdef(k.oid)) as statement
       from pg_constraint k join svc_tables t on t.oid = k.conrelid where k.contype in (${types}) order by t.name, k.conname`,
    )
  const indexes = (from: string) =>
    statements(
      sql,
      `${from === 'svc_tables' ? TABLES : VIEWS}
       select pg_get_indexdef(i.indexrelid) as statement from pg_index i join ${from} t on t.oid = i.indrelid
       where i.indisvalid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')) order by 1`,
    )
  const views = await statements(
    sql,
    `${VIEWS}
     select format('create %sview %s%s as %s', case when v.relkind = 'm' then 'materialized ' else '' end, v.name,
       case when v.reloptions is null then '' else format(' with (%s)', array_to_string(v.reloptions, ', ')) end, rtrim(pg_get_viewdef(v.oid), ';')) as statement
     from svc_views v join (select oid, max(depth) as depth from svc_depths group by oid) d on d.oid = v.oid order by d.depth, v.name`,
  )
  return [
    ...owned,
    ...(await constraints(`'p', 'u', 'x'`)),
    ...(await constraints(`'c'`)),
    ...(await indexes('svc_tables')),
    ...(await constraints(`'f'`)),
    ...views,
    ...(await indexes('svc_views')),
  ]
}
