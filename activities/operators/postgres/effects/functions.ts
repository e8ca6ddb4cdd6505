import type { KnownFunction } from '#core/sql/known-functions.ts'
import type { SessionQuery } from '../session.ts'
import { ANY_SCHEMA, FIRST_OWN, type Lookup, namesOf, schemasOf } from './catalogue.ts'

/** The language `sql`. What a body is bound to at once stands in a column that servers before PostgreSQL 14 lack. */
const SQL_LANGUAGE = 14

/** The types `json` and `jsonb`, which functions like `to_json` cast to without being told. */
const JSON_TYPES = [114, 3802]

/** What a condition, a limit, a subscript or a sample is cast to as in an assignment, whatever it was: boolean and numbers. */
const ASSIGNED_TYPES = [16, 20, 23, 700, 701]

export interface CalledFunction extends KnownFunction {
  oid: number
  by: string | undefined
  /** default arguments as SQL */
  defaults: string | null
  /** what a function of the server does, where that is SQL and bound to types only when it runs */
  body: string | null
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
