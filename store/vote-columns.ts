import type { Db } from './db.ts'

/** A vote on record (`d`), as the law counts it. */
export const voteOf = (db: Db) => db`
  jsonb_strip_nulls(jsonb_build_object('by', d.decided_by, 'decision', d.decision, 'roles', to_jsonb(d.roles), 'asserted', d.asserted,
    'via', d.via, 'behind', d.command -> 'behind', 'delegations', d.delegations))`

/** When a run (`r`) was asked for: one of a pipeline with its pipeline, however much later its step began. */
export const askedAt = (db: Db) => db`
  iso_time(least(r.created_at, (select p.created_at from pipeline_children c join pipelines p on p.id = c.pipeline_id
    where c.run_id = r.id))) as asked_at`

/** All votes on a gate (`g`) whose run (`r`) was asked for at `asked_at`, and by whom. */
export const gateVotes = (db: Db) => db`
  ${askedAt(db)},
  (select coalesce(jsonb_agg(${voteOf(db)} order by d.decided_at), '[]') from gate_decisions d where d.gate_id = g.id) as votes`

/** What of the provenance of a run (`r`) says who asked for it and who shaped it. */
export const contributorsIn = (db: Db) => db`
  jsonb_build_object('actor', r.provenance -> 'actor', 'human_root', r.provenance -> 'human_root')
    || case when r.provenance ? 'contributors' then jsonb_build_object('contributors', r.provenance -> 'contributors') else '{}' end as provenance`
