import type { SessionQuery } from '../session.ts'
import { FIRST_OWN, type Lookup, namesOf, schemasOf } from './catalogue.ts'

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
