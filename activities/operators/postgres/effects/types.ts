import type { SessionQuery } from '../session.ts'
import { ANY_SCHEMA, FIRST_OWN, type Lookup, namesOf, schemasOf } from './catalogue.ts'

/** These make values of the row types that they are given: a table's, which has its name. */
const OF_ROW_TYPES = 'populate_record'

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
