import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { forgetPipelines, forgetRuns } from '#services/runs/retention.ts'
import { createDb } from '#store/db.ts'
import { createRunRetention } from '#store/runs/run-retention.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { parkGate } from '#test/support/park-gate.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { fillWorkspace } from '#test/support/tenants.ts'

const A = 'ws_0000000000000000000000000a'
const DAYS = 30
let forget: (days?: number) => Promise<number>

const database = testDatabase()
const owner = fileFixture(() => createDb(database.owner_url, { max: 1 }))
const runs = fileFixture(() => createRunStore(database.db))
beforeAll(async () => {
  const retention = createRunRetention(database.db)
  forget = (days = DAYS) => forgetRuns({ retention, ids }, days)
})

/** The row of a run and everything that refers to one, by table; the audit log keeps what it has. */
async function rowsOf(runId: string): Promise<Record<string, number>> {
  const tables = await owner<{ table: string; column: string }[]>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'public' and t.table_type = 'BASE TABLE' and table_name not in ('skill_firings', 'inbox_items', 'schedule_firings', 'audit_outbox')
      and (c.column_name = 'run_id' or (c.table_name = 'runs' and c.column_name = 'id') or (c.column_name = 'gate_id'))`
  const found: Record<string, number> = {}
  for (const { table, column } of tables) {
    const [row] = await owner<{ rows: number }[]>`
      select count(*) as rows from ${owner(table)} where ${owner(column)} = any(array[${runId}] || (select coalesce(array_agg(id), '{}') from gates where run_id = ${runId}))`
    if (row && row.rows > 0) found[table] = (found[table] ?? 0) + row.rows
  }
  return found
}

async function records(): Promise<number> {
  const [row] = await database.db<{ records: number }[]>`select count(*) as records from audit_outbox`
  return row?.records ?? 0
}

/** Ends a run as failed, so many days ago. */
async function endRun(runId: string, daysAgo: number): Promise<void> {
  await runs.record({
    run_id: runId,
    any_fence: true,
    run: { status: 'failed', error: { code: 'internal', message: 'gone' } },
  })
  await database.db`update runs set ended_at = now() - ${daysAgo}::integer * interval '1 day' where id = ${runId}`
}

test('a run that ended long ago goes with everything that hangs on it, and the log says so', async () => {
  const old = await fillWorkspace(database, A)
  await database.db`update gates set status = 'cancelled', resolved_at = now(), resolution = '{}' where run_id = ${old}`
  await endRun(old, DAYS + 1)
  await database.db`delete from start_outbox where run_id = ${old}`
  const hung = await rowsOf(old)
  expect(Object.keys(hung)).toEqual(expect.arrayContaining(['runs', 'run_steps', 'run_events', 'gates', 'artifacts']))
  expect(Object.keys(hung)).toEqual(expect.arrayContaining(['gate_decisions', 'ledger_entries', 'run_alerts']))
  expect(Object.keys(hung)).toEqual(expect.arrayContaining(['run_alert_states', 'run_trigger_alerts']))

  const before = await records()
  expect(await forget()).toBe(1)
  expect(await rowsOf(old)).toEqual({})
  const reported = await database.db<{ draft: { run_id: string; workspace_id: string } }[]>`
    select draft from audit_outbox where draft ->> 'action' = 'run.forgotten'`
  expect(reported).toEqual([{ draft: expect.objectContaining({ run_id: old, workspace_id: A, category: 'admin' }) }])
  // nothing that was on record before is gone
  expect(await records()).toBe(before + 1)
})

test('whatever is younger, under way, waits for an answer or was not started stays', async () => {
  const [young, waiting, unstarted] = [runDraft(), await parkGate(runs), runDraft()]
  await runs.admit([young, unstarted])
  await database.db`delete from start_outbox where run_id = ${young.id}`
  await endRun(young.id, DAYS - 1)
  await endRun(unstarted.id, DAYS + 1)
  await database.db`update runs set created_at = now() - interval '400 days' where id = ${waiting.run_id}`
  expect(await forget()).toBe(0)
  for (const id of [young.id, waiting.run_id, unstarted.id]) expect((await rowsOf(id))['runs']).toBe(1)
})

test('nothing is forgotten within thirty days, no matter who asks, nor by a session of another workspace', async () => {
  const draft = runDraft()
  await runs.admit([draft])
  await runs.markStarted([draft.id])
  await endRun(draft.id, 20)
  const record = { run_id: draft.id, audit_id: ids.next('audit') }
  await expect(createRunRetention(database.db).forget([record], 10)).rejects.toThrow(/kept for 30 days/)
  await endRun(draft.id, 40)
  const ask = (workspace: string) =>
    database.tenants.in(workspace, (db) => createRunRetention(db).forget([record], DAYS))
  expect(await ask(A)).toBe(0)
  expect(await ask(DEFAULT_WORKSPACE_ID)).toBe(1)
})

const OF_PIPELINE = ['pipelines', 'pipeline_steps', 'pipeline_children', 'pipeline_events', 'pipeline_budgets']

/** The rows of a pipeline, by table. */
async function pipelineRows(id: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of [...OF_PIPELINE, 'pipeline_outbox', 'pipeline_wakes']) {
    const column = table === 'pipelines' ? 'id' : 'pipeline_id'
    const [row] = await owner<{ rows: number }[]>`
      select count(*) as rows from ${owner(table)} where ${owner(column)} = ${id}`
    if (row && row.rows > 0) found[table] = row.rows
  }
  return found
}

test('a run of a pipeline stays with it; once it has ended long enough ago both go, on record', async () => {
  const forgetBoth = async () => [
    await forget(),
    await forgetPipelines({ retention: createRunRetention(database.db), ids }, DAYS),
  ]
  const [run, workspace] = [runDraft(), 'ws_0000000000000000000000000c']
  await fillWorkspace(database, workspace)
  const [{ id } = { id: '' }] = await database.db<
    { id: string }[]
  >`select id from pipelines where workspace_id = ${workspace}`
  await runs.admit([run])
  await runs.markStarted([run.id])
  await endRun(run.id, DAYS + 9)
  await database.db`update runs set pipeline_id = ${id} where id = ${run.id}`
  expect(await forgetBoth(), 'it goes on').toEqual([0, 0])
  const end = (days: number) => database.db`
    update pipelines set status = 'cancelled', ended_at = now() - ${days}::integer * interval '1 day' where id = ${id}`
  await end(DAYS - 1)
  expect(await forgetBoth(), 'it ended not long ago').toEqual([0, 0])
  await end(DAYS + 1)
  const retention = createRunRetention(database.db)
  const record = { pipeline_id: id, audit_id: ids.next('audit') }
  expect(await retention.forgetPipelines([record], DAYS), 'its run is still there').toBe(0)
  await expect(retention.forgetPipelines([record], 10)).rejects.toThrow(/kept for 30 days/)
  expect(Object.keys(await pipelineRows(id))).toEqual(expect.arrayContaining(OF_PIPELINE))
  expect(await forgetBoth()).toEqual([1, 1])
  expect(await pipelineRows(id)).toEqual({})
  const records = await database.db<{ draft: { workspace_id: string } }[]>`
    select draft from audit_outbox where draft ->> 'action' = 'pipeline.forgotten'`
  expect(records).toEqual([
    { draft: expect.objectContaining({ workspace_id: workspace, subject: { type: 'pipeline', id } }) },
  ])
})

test('no function that runs as the owner may be called by everybody', async () => {
  const open = await owner<{ name: string }[]>`
    select oid::regprocedure::text as name from pg_proc
    where prosecdef and pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
      and has_function_privilege('public', oid, 'execute')`
  expect(open).toEqual([])
})

test('more than one batch is forgotten at once, and the body of an artifact only with the last run that has it', async () => {
  const drafts = Array.from({ length: 230 }, () => runDraft())
  await runs.admit(drafts)
  await runs.markStarted(drafts.map(({ id }) => id))
  const body = { digest: `sha256:${'d'.repeat(64)}`, size_bytes: 1, media_type: 'text/plain', body_base64: 'eA==' }
  for (const draft of drafts.slice(0, 2)) {
    const fence = await runs.take(draft.id)
    const settle = { step_id: 'one', ordinal: 0, attempt: 1, state: 'succeeded' as const }
    const open = { step_id: 'one', ordinal: 0, attempt: 1, plan_hash: body.digest, reserve_micro_usd: 0 }
    if ('refused' in fence) throw new Error(fence.refused)
    await runs.record({
      run_id: draft.id,
      fence: 1,
      open: { ...open, daily_cap_micro_usd: 100, budget_day: '2026-01-01' },
    })
    await runs.record({
      run_id: draft.id,
      fence: 1,
      settle: { ...settle, artifacts: [{ ...body, id: ids.next('artifact'), name: 'x' }] },
    })
  }
  const bodies = async () => (await database.db`select from artifact_bodies where digest = ${body.digest}`).length
  expect(await bodies()).toBe(1)
  for (const { id } of drafts)
    await runs.record({
      run_id: id,
      any_fence: true,
      run: { status: 'failed', error: { code: 'internal', message: 'gone' } },
    })
  await database.db`
    update runs set ended_at = now() - interval '50 days' where id = any(${drafts.slice(1).map(({ id }) => id)}::text[])`
  expect(await forget()).toBe(229)
  expect(await bodies()).toBe(1)
  await endRun(drafts[0]?.id ?? '', 50)
  expect(await forget()).toBe(1)
  expect(await bodies()).toBe(0)
})
