import type { AlertRecord } from '#core/trigger/alert-record.ts'
import { createIdempotencyStore } from '#store/idempotency.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import { insertEndedJob } from './begin-remote-job.ts'
import type { TestDatabase } from './database.ts'
import { ids, runDraft } from './run-drafts.ts'

export const ALERT: AlertRecord = {
  source: 'test',
  service: 's',
  symptom: 'down',
  status: 'firing',
  severity: 'high',
  title: 'Down',
  labels: {},
  annotations: {},
  links: [],
  digest: `sha256:${'a'.repeat(64)}`,
}

/** Makes a workspace of this id. */
export async function addWorkspace({ db }: Pick<TestDatabase, 'db'>, id: string, slug: string): Promise<void> {
  const draft = { id, slug, name: slug, default_environment: 'development', limits: {} }
  await createWorkspaceStore(db).create(draft, auditIn(id))
}

/** Makes a workspace that has a row in every table of tenants' rows, and answers with one of its runs. */
export async function fillWorkspace(database: Pick<TestDatabase, 'db'>, workspace_id: string): Promise<string> {
  const { db } = database
  const runs = createRunStore(db)
  const hash = `sha256:${workspace_id.slice(-1).repeat(64)}`
  await addWorkspace(database, workspace_id, `tenant-${workspace_id.slice(-1)}`)
  const draft = () =>
    runDraft({
      workspace_id,
      audit: auditIn(workspace_id),
      alert: ALERT,
      alerts: [{ delivery_id: ids.next('delivery'), member: 'm', digest: ALERT.digest, state: ALERT }],
    })
  const waiting = draft()
  const acting = draft()
  await runs.admit([waiting, acting])
  await db`insert into run_secrets (run_id, sealed) values (${acting.id}, 'sealed')`
  const run_id = acting.id
  await db`
    insert into connection_uses (connection_id, version, run_id, step_id)
    values ('conn_00000000000000000000000000', 1, ${run_id}, 'one')`
  await db`
    insert into artifact_removals (object_connection, object_key, workspace_id, environment)
    values ('artifacts', ${run_id}, ${workspace_id}, 'development')`
  await db`
    insert into saved_views (workspace_id, user_id, page, name, search) values (${workspace_id}, 'usr_x', 'runs', 'failed', '{}')`
  await insertEndedJob(db, run_id, workspace_id)
  await runs.take(run_id)
  const step = { step_id: 'one', ordinal: 0, attempt: 1 }
  const open = { ...step, plan_hash: hash, reserve_micro_usd: 10, daily_cap_micro_usd: 100, budget_day: '2026-01-01' }
  await runs.record({ run_id, fence: 1, open })
  const body = {
    id: ids.next('artifact'),
    name: 'report.md',
    media_type: 'text/markdown',
    size_bytes: 1,
    digest: hash,
    body_base64: 'eA==',
  }
  await runs.record({ run_id, fence: 1, settle: { ...step, state: 'succeeded', llm_micro_usd: 5, artifacts: [body] } })
  const gate = ids.next('gate')
  await runs.record({
    run_id,
    fence: 1,
    gate: {
      ...step,
      id: gate,
      step_id: 'two',
      kind: 'approval',
      plan_hash: hash,
      required: { approvals: 2, approval_roles: [], prevent_self: false },
      view: { channels: ['chat'] },
      expires_at: '2099-01-01T00:00:00.000Z',
    },
  })
  await db`
    insert into gate_decisions (gate_id, decision_id, decided_by, decision, channel)
    values (${gate}, ${ids.next('decision')}, 'usr_somebody', 'approve', 'api')`
  await db`
    insert into refusals (action, who, kind, subject_id, workspace_id)
    values ('claim.refused', 'temporal', 'bad_signature', ${run_id}, ${workspace_id})`
  await db`
    insert into config_items (item, workspace_id, kind, layer, state, version, about)
    values (${`console/${workspace_id}/guard`}, ${workspace_id}, 'policy', 'console', 'sha256:0', 1, '{}')`
  await db`
    insert into magic_links (jti, gate_id, workspace_id, recipient, expires_at)
    values (${ids.next('link')}, ${gate}, ${workspace_id}, 'somebody', now())`
  await db`
    insert into notice_deliveries (gate_id, kind, channel, recipient, workspace_id, status)
    values (${gate}, 'opened', 'chat', 'somebody', ${workspace_id}, 'failed')`
  await db`
    insert into notice_digests (id, workspace_id, channel, recipient, edits, folded_at, changed_at)
    values (${ids.next('digest')}, ${workspace_id}, 'chat', 'somebody', false, now(), now())`
  await db`
    insert into console_policies (workspace_id, name, document, author)
    values (${workspace_id}, 'rule', 'rules: []', 'usr_somebody')`
  await db`
    insert into console_documents (kind, workspace_id, name, document, author)
    values ('rule', ${workspace_id}, 'rule', 'run: a/b', 'usr_somebody')`
  await db`
    insert into presets (id, workspace_id, kind, pack, template, name, inputs, author)
    values (${ids.next('preset')}, ${workspace_id}, 'config', 'a', 'b', 'fast', '{}', 'usr_somebody')`
  const corpus = ids.next('corpus')
  await db`
    insert into knowledge_corpora (id, workspace_id, name, source, author)
    values (${corpus}, ${workspace_id}, 'runbooks', '{"kind":"inline"}', 'usr_somebody')`
  await db`
    insert into knowledge_documents (workspace_id, corpus_id, path, digest, size_bytes)
    values (${workspace_id}, ${corpus}, 'a.md', ${hash}, 1)`
  await db`
    insert into knowledge_chunks (workspace_id, corpus_id, path, ordinal, from_line, to_line, text, digest)
    values (${workspace_id}, ${corpus}, 'a.md', 0, 1, 1, 'x', ${hash})`
  await db`
    insert into inbox_items (id, workspace_id, route, headers, body, sealed, body_digest, actor, channel)
    values (${ids.next('delivery')}, ${workspace_id}, '/triggers/alert', '{}', '{}', false, ${hash}, '{}', 'api')`
  await db`
    insert into set_aside (kind, subject, workspace_id, reason)
    values ('delivery', ${ids.next('delivery')}, ${workspace_id}, 'two processes ended')`
  await db`
    insert into skill_firings (skill, workspace_id, event_key, message_id, topic, run_id)
    values ('sre/follow-up', ${workspace_id}, 'event', '1', 'run.failed', ${run_id})`
  await db`insert into bus_outbox (workspace_id, topic, event) values (${workspace_id}, 'pack.any.news', '{}')`
  await db`
    insert into bus_messages (id, workspace_id, topic, event, published_at)
    select coalesce(max(id), 0) + 1, ${workspace_id}, 'pack.any.news', '{}', now() from bus_messages`
  await db`insert into bus_cursors values ('reader', ${workspace_id}, 0, 0)`
  await db`
    insert into bus_dead_letters (subscriber, message_id, workspace_id, topic, event, attempts, error)
    values (${`reader of ${workspace_id}`}, 1, ${workspace_id}, 'pack.any.news', '{}', 5, 'failed')`
  await db`
    insert into ingress_deliveries (workspace_id, pack, name, delivery_key, delivery_id)
    values (${workspace_id}, 'sre', 'hook', 'id:one', ${ids.next('delivery')})`
  const robot = ids.next('user')
  await db`
    insert into users (id, account_id, email, roles, workspaces, status)
    values (${robot}, 'acc_local', ${`${robot}@example.test`}, '{service}', ${[workspace_id]}, 'active')`
  await db`
    insert into api_keys (id, account_id, user_id, name, prefix, hash, scopes, workspace_id, created_by, expires_at)
    values (${ids.next('api_key')}, 'acc_local', ${robot}, 'nightly', 'svc_abcdefgh', ${workspace_id.slice(-1).repeat(64)}, '{admin}',
      ${workspace_id}, 'usr_local', now() + interval '1 day')`
  await db`
    insert into model_calls (id, workspace_id, environment, model, reserved_micro_usd, record, leased_until)
    values (${ids.next('model_call')}, ${workspace_id}, 'development', 'any', 1, '{}', now() + interval '1 day')`
  const [thread, turn] = [ids.next('ask_thread'), ids.next('ask_turn')]
  await db`
    insert into ask_threads (id, workspace_id, account_id, owner_id) values (${thread}, ${workspace_id}, 'acc_local', 'usr_somebody')`
  await db`
    insert into ask_turns (id, thread_id, workspace_id, query, answer, grounded, citations, tools_used, cost_micro_usd, cap_micro_usd,
      model, created_at)
    values (${turn}, ${thread}, ${workspace_id}, 'what runs?', 'nothing', false, '[]', '[]', 0, 0, 'any', now())`
  await db`
    insert into ask_tool_results (turn_id, id, workspace_id, tool, args, ref, result, digest)
    values (${turn}, 't1', ${workspace_id}, 'list_runs', '{}', '/runs', '{}', ${hash})`
  await db`
    insert into model_probes (workspace_id, model, ok, latency_ms, probed_by)
    values (${workspace_id}, 'any', true, 1, 'usr_local')`
  const halt = ids.next('halt')
  await db`
    insert into halts (id, workspace_id, environment, reason, set_by)
    values (${halt}, ${workspace_id}, 'nowhere', 'a drill', '{}')`
  await db`
    insert into halt_refusals (id, halt_id, workspace_id, key, trigger_type, pack, template, environment, title, requested_by)
    values (${ids.next('halt_refusal')}, ${halt}, ${workspace_id}, 'key', 'manual', 'sre', 'any', 'nowhere', 'any', 'somebody')`
  await db`insert into trigger_throttles (workspace_id, fingerprint, until) values (${workspace_id}, 'a|b|c', now())`
  await db`insert into alert_ends (workspace_id, scope, member, ended_at) values (${workspace_id}, 'a|b|c', 'm', now())`
  const schedule = ids.next('schedule')
  await db`
    insert into schedules (id, workspace_id, name, source, cron, timezone, pack, template, dst)
    values (${schedule}, ${workspace_id}, 'hourly', 'console', '@hourly', 'UTC', 'sre', 'any', '{}')`
  await db`
    insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome)
    values (${schedule}, now(), ${workspace_id}, 'skipped')`
  const pipeline = ids.next('pipeline')
  await db`
    insert into pipelines (id, workspace_id, name, bundle_path, bundle_digest, definition, definition_digest, environment,
      environment_class, profile, status, inputs, inputs_hash, provenance)
    values (${pipeline}, ${workspace_id}, 'nightly', 'nightly', ${hash}, '{}', ${hash}, 'development', 'development', 'default', 'queued',
      '{}', ${hash}, '{}')`
  await db`insert into pipeline_steps (pipeline_id, step_id, ordinal, state) values (${pipeline}, 'one', 1, 'pending')`
  await db`
    insert into pipeline_children (run_id, pipeline_id, step_id, index, role, inputs, status)
    values (${ids.next('run')}, ${pipeline}, 'one', 0, 'run', '{}', 'starting')`
  await db`
    insert into pipeline_events (pipeline_id, seq, event_key, type, ts, data)
    values (${pipeline}, 1, 'pipeline/queued', 'pipeline.queued', now(), '{}')`
  await db`insert into pipeline_budgets (pipeline_id, cap_micro_usd) values (${pipeline}, 1000)`
  await db`insert into pipeline_outbox (pipeline_id) values (${pipeline})`
  await db`insert into pipeline_wakes (pipeline_id) values (${pipeline})`
  await createIdempotencyStore(db, async () => 'api:test').begin(
    { workspace_id, key: 'key', route: 'route', body_hash: 'hash' },
    `dlv_${workspace_id}`,
  )
  return run_id
}

/** Tables under row-level security, in the order of their names. */
export async function lockedTables(db: TestDatabase['db']): Promise<string[]> {
  const tables = await db<{ name: string }[]>`
    select relname as name from pg_class
    where relrowsecurity and relnamespace = 'public'::regnamespace order by relname`
  return tables.map((table) => table.name)
}

function auditIn(workspace_id: string) {
  return { ...runDraft().audit, id: ids.next('audit'), workspace_id }
}
