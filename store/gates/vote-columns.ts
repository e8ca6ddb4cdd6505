import type { Db } from '../db.ts'

/** Time of a run's (`r`) request: for a run of a pipeline that of the pipeline, however late its step began. */
const askedAt = (db: Db) => db`
  iso_time(least(r.created_at, (select p.created_at from pipeline_children c join pipelines p on p.id = c.pipeline_id
    where c.run_id = r.id))) as asked_at`

/** All recorded answers to a gate (`g`), counted or not. */
const answers = (db: Db) => db`
  (select coalesce(jsonb_agg(jsonb_build_object('decision_id', d.decision_id, 'by', d.decided_by, 'decision', d.decision,
     'command', d.command, 'approvals', d.approvals) order by d.decided_at, d.decision_id), '[]')
   from gate_decisions d where d.gate_id = g.id) as answers`

/** The facts from which the votes on a gate (`g`) of a run (`r`) are counted, besides its provenance. */
export const answeredGate = (db: Db) => db`
  g.id as gate_id, g.plan_hash, g.required, ${askedAt(db)}, ${answers(db)}`

/** The provenance of a run (`r`) that names its requesters and contributors. */
export const contributorsIn = (db: Db) => db`
  jsonb_build_object('actor', r.provenance -> 'actor', 'human_root', r.provenance -> 'human_root')
    || case when r.provenance ? 'contributors' then jsonb_build_object('contributors', r.provenance -> 'contributors') else '{}' end as provenance`
