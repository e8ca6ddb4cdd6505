import type { KnownFunction } from '#core/sql/known-functions.ts'
import type { SqlName } from '#core/sql/statement.ts'
import type { SessionQuery } from './postgres-session.ts'

/** The first number of what is made after a cluster was: below it everything is the server's own. */
const FIRST_OWN = 16_384

/** The language `sql`. What a body is bound to at once stands in a column that servers before PostgreSQL 14 lack. */
const SQL_LANGUAGE = 14

/** In the place of a schema: all of them. */
export const ANY_SCHEMA = '*'

/** The types `json` and `jsonb`, which functions like `to_json` cast to without being told. */
const JSON_TYPES = [114, 3802]

/** What a condition, a limit, a subscript or a sample is cast to as in an assignment, whatever it was: boolean and numbers. */
const ASSIGNED_TYPES = [16, 20, 23, 700, 701]

/** These make values of the row types that they are given: a table's, which has its name. */
const OF_ROW_TYPES = 'populate_record'

/** Names to be looked up, those without a schema in `schemas`. */
export interface Lookup {
  functions: SqlName[]
  operators: SqlName[]
  types: SqlName[]
  attributes: string[]
  relations: SqlName[]
  schemas: string[]
  /** whether it is also looked at what runs when a relation is written */
  writing: boolean
}

export interface CalledFunction extends KnownFunction {
  oid: number
  by: string | undefined
  /** default arguments as SQL */
  defaults: string | null
  /** what a function of the server does, where that is SQL and bound to types only when it runs */
  body: string | null
}

interface TypeReach {
  /** the types that are named, and those that they are made of */
  oids: number[]
  /** checks of the domains among them, as SQL */
  checks: { domain: string; expression: string }[]
}

/**
 * Types by their names, by names of functions (which may be types), by arguments and results of functions that are not the server's. The row
 * types of relations where values of them are made: by a function, by writing, or of a text beside an array or a range.
 */
export async function reachedTypes(sql: SessionQuery, lookup: Lookup): Promise<TypeReach> {
  const { types, functions, operators, attributes, relations, schemas, writing } = lookup
  const typed = [...types, ...functions]
  const called = [...functions, ...attributes.map((name) => ({ schema: undefined, name }))]
  const rows = await sql<{ oid: number; domain: string; checks: string[] | null }[]>`
    with recursive called as (
      select p.* from unnest(${schemasOf(called)}::text[], ${namesOf(called)}::text[]) as w (schema, name)
      join pg_proc p on p.proname = w.name
      join pg_namespace n on n.oid = p.pronamespace and (n.nspname = w.schema or (w.schema = '' and n.nspname = any (${schemas}::text[])))
      where p.oid >= ${FIRST_OWN} or p.proname ~ ${OF_ROW_TYPES}
        or (select count(*) from unnest(p.proargtypes::oid[]) as a (oid) where format_type(a.oid, null) like 'any%') > 1
      union all
      select p.* from unnest(${schemasOf(operators)}::text[], ${namesOf(operators)}::text[]) as w (schema, name)
      join pg_operator o on o.oprname = w.name and o.oid >= ${FIRST_OWN}
      join pg_namespace n on n.oid = o.oprnamespace and (w.schema in (n.nspname, ${ANY_SCHEMA}) or (w.schema = '' and n.nspname = any (${schemas}::text[])))
      join pg_proc p on p.oid = o.oprcode
    ), makes_rows as (
      select ${writing} or exists (select from called where format_type(prorettype, null) ~ '^(any|record$)' or oid < ${FIRST_OWN}) as so
    ), rows as (
      select c.oid as relation, c.reltype from unnest(${schemasOf(relations)}::text[], ${namesOf(relations)}::text[]) as w (schema, name)
      join pg_class c on c.relname = w.name and c.oid >= ${FIRST_OWN}
      join pg_namespace n on n.oid = c.relnamespace and (n.nspname = w.schema or (w.schema = '' and n.nspname = any (${schemas}::text[])))
    ), reached (oid) as (
      select t.oid from unnest(${schemasOf(typed)}::text[], ${namesOf(typed)}::text[]) as w (schema, name)
      join pg_type t on t.typname = w.name
      join pg_namespace n on n.oid = t.typnamespace and (n.nspname = w.schema or (w.schema = '' and n.nspname = any (${schemas}::text[])))
      union
      select a.oid from called
      cross join lateral unnest(proargtypes::oid[] || coalesce(proallargtypes, '{}') || prorettype) as a (oid)
      where called.oid >= ${FIRST_OWN}
      union
      select rows.reltype from rows, makes_rows where makes_rows.so
      union
      select t.oid from rows
      join pg_attribute a on a.attrelid = rows.relation and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid and (t.typcategory = 'A' or t.typtype in ('r', 'm'))
      union
      select made.oid from reached
      join pg_type t on t.oid = reached.oid
      cross join lateral (
        select t.typbasetype union all select t.typelem
        union all select a.atttypid from pg_attribute a where a.attrelid = t.typrelid and t.typrelid <> 0 and a.attnum > 0 and not a.attisdropped
        union all select r.rngsubtype from pg_range r where r.rngtypid = t.oid
        union all select d.refobjid from pg_depend d
          where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.refclassid = 'pg_type'::regclass and d.deptype = 'i'
      ) as made (oid)
      where made.oid <> 0
    )
    select t.oid::int8::float8 as oid, format_type(t.oid, null) as domain,
           (select array_agg(pg_get_expr(c.conbin, 0)) from pg_constraint c where c.contypid = t.oid and c.contype = 'c') as checks
    from reached join pg_type t on t.oid = reached.oid`
  return {
    oids: rows.map(({ oid }) => oid),
    checks: rows.flatMap(({ domain, checks }) => (checks ?? []).map((expression) => ({ domain, expression }))),
  }
}

/**
 * Every function that one of the names may mean: functions, what stands behind operators, casts and aggregates, and functions of a row, which
 * can be called like a column. An operator brings those that the planner may put in its place. Always with what happens without being written:
 * casts, and what types and operator classes are made of. What is wholly the server's own is left out there, as none of it is
 * volatile; so are operator classes and types of extensions, whose authors seldom say that they are not.
 */
export async function reachedFunctions(sql: SessionQuery, lookup: Lookup, types: number[]): Promise<CalledFunction[]> {
  const { functions, operators, attributes, schemas, writing } = lookup
  const rows = await sql<
    (Omit<CalledFunction, 'by' | 'extension'> & { by: string | null; extension: string | null })[]
  >`
    with recursive used (oid) as (
      select o.oid
      from unnest(${schemasOf(operators)}::text[], ${namesOf(operators)}::text[]) as w (schema, name)
      join pg_operator o on o.oprname = w.name
      join pg_namespace n on n.oid = o.oprnamespace and (w.schema in (n.nspname, ${ANY_SCHEMA}) or (w.schema = '' and n.nspname = any (${schemas}::text[])))
      union
      select other.oid from used join pg_operator o on o.oid = used.oid
      cross join lateral unnest(array[o.oprnegate, o.oprcom]) as other (oid)
      where other.oid <> 0
    ), named (oid, by) as (
      select p.oid, null::text
      from unnest(${schemasOf(functions)}::text[], ${namesOf(functions)}::text[]) as w (schema, name)
      join pg_proc p on p.proname = w.name
      join pg_namespace n on n.oid = p.pronamespace and (n.nspname = w.schema or (w.schema = '' and n.nspname = any (${schemas}::text[])))
      union
      select p.oid, 'the column notation .' || p.proname
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace and n.nspname = any (${schemas}::text[])
      join pg_type t on t.oid = p.proargtypes[0]
      where p.proname = any (${attributes}::text[]) and p.pronargs - p.pronargdefaults <= 1 and t.typtype in ('c', 'd', 'p')
      union
      select f.oid, 'the operator ' || o.oprname
      from used join pg_operator o on o.oid = used.oid
      cross join lateral unnest(array[o.oprcode::oid, o.oprrest::oid, o.oprjoin::oid]) as f (oid)
      left join pg_proc body on body.oid = f.oid and to_jsonb(body) ->> 'prosqlbody' is null and body.prolang = ${SQL_LANGUAGE}
      where o.oid >= ${FIRST_OWN} or f.oid >= ${FIRST_OWN} or body.oid is not null
      union
      select c.castfunc, 'the cast from ' || format_type(c.castsource, null) || ' to ' || format_type(c.casttarget, null)
      from pg_cast c
      where (c.oid >= ${FIRST_OWN} or c.castfunc >= ${FIRST_OWN})
        and (c.castcontext = 'i' or c.casttarget::int8::float8 = any (${[...JSON_TYPES, ...types]}::float8[])
          or (c.castcontext = 'a' and (${writing} or c.casttarget::int8::float8 = any (${ASSIGNED_TYPES}::float8[]))))
      union
      select own.oid, own.by
      from (
        select f.oid, 'the operator class member ' || o.oprname from pg_amop m
        join pg_operator o on o.oid = m.amopopr
        cross join lateral unnest(array[o.oprcode::oid, o.oprrest::oid, o.oprjoin::oid]) as f (oid)
        where m.oid >= ${FIRST_OWN}
        union all
        select m.amproc, 'the operator family ' || y.opfname from pg_amproc m join pg_opfamily y on y.oid = m.amprocfamily where m.oid >= ${FIRST_OWN}
        union all
        select f.oid, 'the type ' || format_type(t.oid, null) from pg_type t
        left join pg_range r on r.rngtypid = t.oid
        cross join lateral unnest(array[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout, r.rngcanonical, r.rngsubdiff]::oid[]) as f (oid)
        where t.oid >= ${FIRST_OWN} and f.oid >= ${FIRST_OWN} and (not ${writing} or t.oid::int8::float8 = any (${types}::float8[]))
      ) as own (oid, by)
      where own.oid >= ${FIRST_OWN}
        and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = own.oid and e.deptype = 'e')
    ), called (oid, by) as (
      select * from named
      union
      select f.oid, 'the aggregate ' || p.proname
      from named
      join pg_aggregate a on a.aggfnoid::oid = named.oid and named.oid >= ${FIRST_OWN}
      join pg_proc p on p.oid = named.oid
      cross join lateral unnest(array[a.aggtransfn::oid, a.aggfinalfn::oid, a.aggcombinefn::oid, a.aggserialfn::oid, a.aggdeserialfn::oid,
        a.aggmtransfn::oid, a.aggminvtransfn::oid, a.aggmfinalfn::oid]) as f (oid)
      where f.oid <> 0
    )
    select p.oid::int8::float8 as oid, min(called.by) as by, n.nspname as schema, p.proname as name,
           case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
           case when p.oid < ${FIRST_OWN} then 'server' when e.extname is not null then 'extension' else 'database' end as origin,
           e.extname as extension,
           case when p.oid >= ${FIRST_OWN} then pg_get_expr(p.proargdefaults, 0) end as defaults,
           case when p.oid < ${FIRST_OWN} and p.prolang = ${SQL_LANGUAGE} and to_jsonb(p) ->> 'prosqlbody' is null then p.prosrc end as body
    from called
    join pg_proc p on p.oid = called.oid
    join pg_namespace n on n.oid = p.pronamespace
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e' and d.refclassid = 'pg_extension'::regclass
    left join pg_extension e on e.oid = d.refobjid
    group by p.oid, n.nspname, e.extname`
  return rows.map((row) => ({ ...row, by: row.by ?? undefined, extension: row.extension ?? undefined }))
}

export type RelationPart =
  | { kind: 'foreign'; relation: string }
  /** SQL that runs with the relation: a view's query, or an expression */
  | { kind: 'query' | 'expression'; text: string; by: string }

/**
 * What runs when a relation is read: the query of a view, row policies, tables of other servers among its children. With `writing` also what
 * the planner looks at when it is written: defaults, constraints, indexes, statistics and rules.
 */
export async function reachedRelations(
  sql: SessionQuery,
  { relations, schemas, writing }: Lookup,
): Promise<RelationPart[]> {
  if (relations.length === 0) return []
  const rows = await sql<{ relation: string; kind: string; text: string | null; by: string }[]>`
    with recursive named (oid) as (
      select c.oid
      from unnest(${schemasOf(relations)}::text[], ${namesOf(relations)}::text[]) as w (schema, name)
      join pg_class c on c.relname = w.name and c.oid >= ${FIRST_OWN}
      join pg_namespace n on n.oid = c.relnamespace and (n.nspname = w.schema or (w.schema = '' and n.nspname = any (${schemas}::text[])))
    ), reached (oid) as (
      select * from named
      union
      select i.inhrelid from reached join pg_inherits i on i.inhparent = reached.oid
    ), parts (oid, kind, text, by) as (
      select r.oid, case when c.relkind = 'f' then 'foreign' else 'query' end, case when c.relkind = 'v' then pg_get_viewdef(c.oid) end, 'the view'
      from reached r join pg_class c on c.oid = r.oid where c.relkind in ('f', 'v')
      union all
      select r.oid, 'expression', e.text, 'a row policy of'
      from reached r join pg_policy p on p.polrelid = r.oid and (p.polcmd in ('*', 'r') or ${writing})
      cross join lateral (values (pg_get_expr(p.polqual, p.polrelid)), (case when ${writing} then pg_get_expr(p.polwithcheck, p.polrelid) end)) as e (text)
      union all
      select r.oid, 'expression', pg_get_expr(d.adbin, d.adrelid), 'a default of'
      from reached r join pg_attrdef d on d.adrelid = r.oid where ${writing}
      union all
      select r.oid, 'expression', pg_get_expr(k.conbin, k.conrelid), 'a constraint of'
      from reached r join pg_constraint k on k.conrelid = r.oid where ${writing} and k.conbin is not null
      union all
      select r.oid, 'expression', e.text, 'an index of'
      from reached r join pg_index x on x.indrelid = r.oid
      cross join lateral (values (pg_get_expr(x.indexprs, x.indrelid)), (pg_get_expr(x.indpred, x.indrelid))) as e (text)
      where ${writing}
      union all
      select r.oid, 'query', pg_get_statisticsobjdef(x.oid), 'statistics of'
      from reached r join pg_statistic_ext x on x.stxrelid = r.oid where ${writing}
      union all
      select r.oid, 'expression', pg_get_expr(t.partexprs, t.partrelid), 'the partition key of'
      from reached r join pg_partitioned_table t on t.partrelid = r.oid where ${writing}
      union all
      select r.oid, 'query', pg_get_ruledef(u.oid), 'a rule of'
      from reached r join pg_rewrite u on u.ev_class = r.oid where ${writing} and u.rulename <> '_RETURN'
    )
    select n.nspname || '.' || c.relname as relation, parts.kind, parts.text, parts.by
    from parts join pg_class c on c.oid = parts.oid join pg_namespace n on n.oid = c.relnamespace
    where parts.text is not null or parts.kind = 'foreign'`
  return rows.map(({ relation, kind, text, by }) =>
    kind === 'foreign'
      ? { kind, relation }
      : { kind: kind === 'query' ? kind : 'expression', text: text ?? '', by: `${by} ${relation}` },
  )
}

function schemasOf(names: SqlName[]): string[] {
  return names.map(({ schema }) => schema ?? '')
}

function namesOf(names: SqlName[]): string[] {
  return names.map(({ name }) => name)
}
