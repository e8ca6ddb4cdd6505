import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createDb } from '#store/db.ts'

const EVENTS = 5
const CORPUS = `cor_${'1'.padStart(26, '0')}`

/**
 * Writes what is on record of so many runs of `writeManyRuns`: five events and five records of the audit chain each, a call of a model, a
 * pipeline for each ten, a schedule with as many firings, and a corpus of half as many chunks, whose id is answered.
 */
export async function writeManyRecords(ownerUrl: string, count: number): Promise<string> {
  const db = createDb(ownerUrl, { max: 1, name: 'many-records' })
  const ws = DEFAULT_WORKSPACE_ID
  const id = (prefix: string) => db`${`${prefix}_`} || lpad(n::text, 26, '0')`
  const schedule = `sch_${'1'.padStart(26, '0')}`
  try {
    await db`set session_replication_role = replica`
    await db`
      insert into run_events (run_id, seq, event_key, type, ts, step_id, data)
      select ${id('run')}, seq, seq::text, 'step.succeeded', now(), 'one', '{"attempt":1}'
      from generate_series(1, ${count}::integer) n, generate_series(1, ${EVENTS}::integer) seq`
    await db`
      insert into audit_outbox (draft, seq, hash)
      select jsonb_build_object('workspace_id', ${ws}::text, 'category', case when k = 5 then 'approval' else 'run' end,
          'action', case when k = 5 then 'gate.approved' else 'run.changed' end,
          'actor', jsonb_build_object('id', case when n % 1000 = 1 then 'usr_rare' else 'usr_local' end, 'type', 'user'),
          'run_id', ${id('run')}, 'subject', '{}'::jsonb, 'data', jsonb_build_object('note', repeat('x', 300)),
          'ts', to_char((now() - (${count} - n) * interval '1 second') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
        1000000 + n * ${EVENTS} + k, 'h'
      from generate_series(1, ${count}::integer) n, generate_series(1, ${EVENTS}::integer) k order by n, k`
    await db`
      insert into model_calls (id, workspace_id, run_id, environment, model, state, basis, reserved_micro_usd, charged_micro_usd, record,
        leased_until, created_at, settled_at)
      select ${id('mcl')}, ${ws}, ${id('run')}, 'development', 'model-' || n % 7, 'settled', 'reported', 900, 700, '{"actor":{"id":"usr_local"}}',
        now(), now() - (${count} - n) * interval '1 second', now()
      from generate_series(1, ${count}::integer) n`
    await db`
      insert into pipelines (id, workspace_id, name, bundle_path, bundle_digest, definition, definition_digest, environment, environment_class,
        profile, status, inputs, inputs_hash, provenance, created_at, ended_at)
      select ${id('pl')}, ${ws}, 'pipeline-' || n % 50, 'b', 'd', '{}', 'd', 'development', 'development', 'default',
        case when n % 40 = 1 then 'failed' else 'succeeded' end, '{}', 'h', '{}', now() - n * interval '1 minute', now()
      from generate_series(1, ${count / 10}::integer) n`
    await db`
      insert into pipeline_steps (pipeline_id, step_id, ordinal, state)
      select ${id('pl')}, 'step-' || k, k, 'succeeded' from generate_series(1, ${count / 10}::integer) n, generate_series(1, 5) k`
    await db`
      insert into schedule_firings (schedule_id, nominal_at, workspace_id, run_id, outcome)
      select ${schedule}, now() - n * interval '1 minute', ${ws}, ${id('run')}, 'started' from generate_series(1, ${count}::integer) n`
    await db`
      insert into knowledge_corpora (id, workspace_id, name, source, author) values (${CORPUS}, ${ws}, 'many', '{"kind":"inline"}', 'usr_x')`
    await db`
      insert into knowledge_chunks (workspace_id, corpus_id, path, ordinal, from_line, to_line, heading, text, digest)
      select ${ws}, ${CORPUS}, 'page-' || n / 10 || '.md', n % 10, n % 10 * 20 + 1, n % 10 * 20 + 20, 'Restart ' || n % 40,
        'passage ' || n || ' of the pool: ' || repeat('drain the service number ' || n % 300 || ' first and then the next one. ', 18), 'sha256:d'
      from generate_series(1, ${count / 2}::integer) n`
    for (const table of [
      ...[
        'run_events',
        'audit_outbox',
        'model_calls',
        'pipelines',
        'pipeline_steps',
        'schedule_firings',
        'knowledge_chunks',
      ],
    ])
      await db.unsafe(`vacuum (analyze) ${table}`)
    return CORPUS
  } finally {
    await db.end()
  }
}
