import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createDb } from '#store/db.ts'

/** The nine beside the first, which has seven of ten runs. */
export const NEIGHBOURS = Array.from({ length: 9 }, (_, n) => `ws_${String(n).padStart(26, '7')}`)

const PLAN = `sha256:${'c'.repeat(64)}`

/**
 * Writes so many runs into ten workspaces, a second apart, with two steps each, as a deployment has them after a while: nine of
 * ten ended well, some few are under way, one in five hundred waits for an answer, one in five thousand is being cancelled. As the
 * owner of the database and past its triggers: nobody is told of them.
 */
export async function writeManyRuns(ownerUrl: string, { from = 1, to }: { from?: number; to: number }): Promise<void> {
  const db = createDb(ownerUrl, { max: 1, name: 'many-runs' })
  try {
    await db`set session_replication_role = replica`
    const plan = { steps: ['one', 'two'].map((id) => ({ id, name: id, operator: 'bench.noop' })) }
    await db`insert into plans (digest, plan) values (${PLAN}, ${db.json(plan)}) on conflict do nothing`
    for (const [n, id] of NEIGHBOURS.entries())
      await db`
        insert into workspaces (id, slug, name, default_environment) values (${id}, ${`neighbour-${n}`}, 'Neighbour', 'development')
        on conflict do nothing`
    await db`
      insert into runs (id, workspace_id, pack, template, template_version, template_digest, plan_digest, status, error, lane,
        environment, environment_class, profile, risk, action_types, capabilities, inputs, inputs_hash, labels, provenance,
        cap_micro_usd, created_at, queued_at, started_at, awaiting_since, ended_at)
      select 'run_' || lpad(n::text, 26, '0'),
        case when n % 10 < 7 then ${DEFAULT_WORKSPACE_ID} else (${NEIGHBOURS}::text[])[1 + n / 10 % 9] end,
        'bench', 'three', '1.0.0', 'sha256:bench', ${PLAN}, status, case when status = 'failed' then '{"code":"operator_failed"}'::jsonb end,
        case when n % 4 = 0 then 'realtime' else 'background' end, 'development', 'development', 'default', 'low',
        '{bench.effect}', '{bench}', jsonb_build_object('payload', repeat('x', 200)), 'sha256:inputs', '{}',
        '{"kind":"manual","requester":{"id":"usr_local","type":"user"}}', 1000000, at, at, at,
        case when status = 'awaiting_approval' then at end,
        case when status not in ('running', 'awaiting_approval', 'cancelling') then at end
      from (
        select n, now() - (${to} - n + 10) * interval '1 second' as at,
          case when n % 5003 = 1 then 'cancelling' when n % 499 = 2 then 'awaiting_approval' when n % 997 = 3 then 'running'
            when n % 71 = 4 then 'rejected' when n % 73 = 5 then 'expired' when n % 53 = 6 then 'cancelled'
            when n % 19 = 7 then 'failed' else 'succeeded' end as status
        from generate_series(${from}::integer, ${to}::integer) n
      ) each`
    await db`
      insert into run_steps (run_id, step_id, ordinal, state, attempt, started_at, ended_at)
      select 'run_' || lpad(n::text, 26, '0'), step, ordinal, 'succeeded', 1, now(), now()
      from generate_series(${from}::integer, ${to}::integer) n, unnest('{one,two}'::text[]) with ordinality s(step, ordinal)`
    for (const table of ['runs', 'run_steps']) await db.unsafe(`vacuum (analyze) ${table}`)
  } finally {
    await db.end()
  }
}

/**
 * Writes so many rows into the other tables that are listed or looked through: the runs of `writeManyRuns` with a gate, a notice and an
 * alert each, deliveries of which one in a thousand is of a rare kind, and what sweeps look after. None of it is due.
 */
export async function writeManyRows(ownerUrl: string, count: number): Promise<void> {
  const db = createDb(ownerUrl, { max: 1, name: 'many-rows' })
  const id = (prefix: string) => db`${`${prefix}_`} || lpad(n::text, 26, '0')`
  const each = db`from generate_series(1, ${count}::integer) n`
  const ws = DEFAULT_WORKSPACE_ID
  try {
    await db`set session_replication_role = replica`
    await db`
      insert into gates (id, run_id, workspace_id, step_id, kind, status, plan_hash, required, view, expires_at, resolved_at, resolution)
      select ${id('gate')}, ${id('run')}, ${ws}, 'one', 'approval', case when n % 499 = 2 then 'open' else 'approved' end, ${PLAN},
        '{}', '{}', now() + interval '9 days', case when n % 499 <> 2 then now() end, case when n % 499 <> 2 then '{}'::jsonb end ${each}`
    await db`
      insert into gate_notices (gate_id, run_id, workspace_id, kind, handed_at)
      select ${id('gate')}, ${id('run')}, ${ws}, 'opened', now() ${each}`
    await db`
      insert into run_alerts (run_id, delivery_id, member, status) select ${id('run')}, ${id('dlv')}, 'm', 'firing' ${each}`
    await db`
      insert into inbox_items (id, workspace_id, received_at, route, source, status, headers, body, sealed, body_digest, actor, channel)
      select ${id('dlv')}, ${ws}, now() - (${count}::integer - n) * interval '1 second',
        case when n % 1000 = 1 then '/triggers/manual' else '/triggers/alert' end, case when n % 1000 = 2 then 'rare' else 'usual' end,
        case when n % 1000 = 3 then 'failed' when n % 1000 = 4 then 'unmatched' when n % 20 = 5 then 'started' else 'attached' end,
        '{}', repeat('x', 300), false, 'd', '{}', 'api' ${each}`
    await db`
      insert into refusals (kind, subject_id, workspace_id, refused, reported, reported_at, action, who, draft)
      select 'k', ${id('run')}, ${ws}, 5, 5, now(), 'gate.refused', 'w', '{}' ${each}`
    await db`
      insert into idempotency_keys (workspace_id, key, route, body_hash) select ${ws}, ${id('key')}, '/runs', 'h' ${each}`
    await db`
      insert into ingress_deliveries (workspace_id, pack, name, delivery_key, delivery_id)
      select ${ws}, 'p', 'n', ${id('key')}, ${id('dlv')} ${each}`
    await db`
      insert into skill_firings (skill, workspace_id, event_key, message_id, topic, run_id)
      select 's', ${ws}, ${id('evt')}, 'm', 't', ${id('run')} ${each}`
    const tables = [
      'gates',
      'gate_notices',
      'run_alerts',
      'inbox_items',
      'refusals',
      'idempotency_keys',
      'ingress_deliveries',
      'skill_firings',
    ]
    for (const table of tables) await db.unsafe(`vacuum (analyze) ${table}`)
  } finally {
    await db.end()
  }
}
