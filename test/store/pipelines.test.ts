import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { advancePipeline } from '#core/pipeline/advance.ts'
import type { AdvanceFacts, StartFact } from '#core/pipeline/snapshot.ts'
import type { PipelineDefinition, RunStep } from '#core/pipeline/types.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import { changesOf } from '#services/pipelines/changes.ts'
import { createDb, type Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createPipelineWakes } from '#store/pipelines/pipeline-wakes.ts'
import { createPipelineStore, type LoadedPipeline, type PipelineStore } from '#store/pipelines/pipelines.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'

const definitionOf = (gate: RunStep['gate']): PipelineDefinition => ({
  ...{ v: 1, name: 'test', title: 'Test', inputs_schema: {}, outputs: {}, template_digests: {} },
  bundle_digest: 'sha256:x',
  steps: [
    {
      ...{ id: 'one', title: 'One', needs: [], on_failure: 'fail', kind: 'run', gate, with: {} },
      ...{ uses: { pack: 'test', template: 'nothing' }, timeout_ms: 60_000 },
    },
  ],
})

/** the same tables, by another connection: whoever else is at work on the pipeline */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const database = testDatabase()
const other = fileFixture(() => createDb(database.url, { max: 2 }))
const pipelines = fileFixture(() => createPipelineStore(database.db, sha256))
const others = fileFixture(() => createPipelineStore(other, sha256))

/** A pipeline whose run has its place on record, and is not admitted. */
async function begun(gate: RunStep['gate'] = 'none'): Promise<{ id: string; run_id: string }> {
  const id = await started(gate)
  await look(pipelines, await load(id))
  const [child] = (await load(id)).snapshot.children
  return { id, run_id: child?.run_id ?? '' }
}

async function started(gate: RunStep['gate'] = 'none', workspace_id = DEFAULT_WORKSPACE_ID): Promise<string> {
  const id = ids.next('pipeline')
  const definition = definitionOf(gate)
  await pipelines.start({
    ...{ id, workspace_id, name: 'test', bundle_path: 'test', bundle_digest: 'sha256:x' },
    ...{ definition, definition_digest: pipelines.digestOf(definition), environment: 'development' },
    ...{ environment_class: 'development', profile: 'default', inputs: {}, inputs_hash: 'sha256:none', reason: null },
    ...{ provenance: {}, cap_micro_usd: 1_000_000, events: [], audit: [] },
  })
  return id
}

async function load(id: string): Promise<LoadedPipeline> {
  const loaded = await pipelines.load(DEFAULT_WORKSPACE_ID, id)
  if (loaded === undefined) throw new Error(`there is no ${id}`)
  return loaded
}

/** Writes what follows from the record as it was read; the new version, or undefined. */
async function look(store: PipelineStore, loaded: LoadedPipeline, starts = new Map<string, StartFact>()) {
  const { snapshot, definition, version, now_ms, runs } = loaded
  const facts: AdvanceFacts = { now_ms, runs, starts, events: new Map(), nextRunId: () => ids.next('run') }
  const changes = changesOf(snapshot, advancePipeline(definition, snapshot, facts).at, version)
  return changes === undefined ? version : await store.record({ ...changes, version, audit: [] })
}

/** Whether a record is to be written, and has to wait for another transaction. */
async function someoneWaits(): Promise<boolean> {
  const rows = await other`
    select from pg_stat_activity
    where wait_event_type = 'Lock' and query like '%record_pipeline%' and datname = current_database()`
  return rows.length > 0
}

const draftOf = (pipeline_id: string, id: string) => runDraft({ id, provenance: { pipeline_id, pipeline_step: 'one' } })
const ask = { cancel: { reason: 'enough', by: 'usr_1' }, events: [], audit: [] }

describe('two that advance the same pipeline at once', () => {
  test('never admit a run twice', async () => {
    const { id, run_id } = await begun()
    const admit = (db: Db) => createRunStore(db).admit([draftOf(id, run_id)])
    const answers = await Promise.allSettled([database.db, other, database.db, other].map(admit))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'conflict' })
    const [count] = await database.db`select count(*)::int as runs from runs where id = ${run_id}`
    expect(count).toEqual({ runs: 1 })
  })

  test.each(['cancelled', 'refused'])('never give a run up as %s that the other has just admitted', async (how) => {
    const { id, run_id } = await begun()
    if (how === 'cancelled') await pipelines.cancel({ id, ...ask })
    const before = await load(id)
    const refused: StartFact = { kind: 'refused', error: { code: 'policy_denied', message: 'no' } }
    const starts = new Map(how === 'refused' ? [[run_id, refused]] : [])
    let late: Promise<number | undefined> | undefined
    await database.db.begin(async (tx) => {
      await createRunStore(tx as unknown as Db).admit([draftOf(id, run_id)])
      // decided on the record from before, it waits for what the admission comes to
      late = look(others, before, starts)
      let isOver = false
      void late.finally(() => {
        isOver = true
      })
      await expect.poll(async () => isOver || (await someoneWaits())).toBe(true)
    })
    expect(await late).toBeUndefined()
    await look(others, await load(id), starts)
    const { snapshot } = await load(id)
    expect(snapshot.children).toMatchObject([{ run_id, status: 'queued' }])
    if (how === 'cancelled') expect(snapshot.children[0]?.cancel_reason).toBe('the pipeline is being cancelled')
    expect(snapshot.steps).toMatchObject([{ state: 'running' }])
  })

  test('never admit a run that was cancelled', async () => {
    const { id, run_id } = await begun()
    await pipelines.cancel({ id, ...ask })
    await look(pipelines, await load(id))
    expect((await load(id)).snapshot.status).toBe('cancelled')
    const store = createRunStore(other)
    await expect(store.admit([draftOf(id, run_id)])).rejects.toMatchObject({ code: 'conflict' })
    await expect(store.admit([draftOf(id, ids.next('run'))])).rejects.toMatchObject({ code: 'conflict' })
  })

  test('one of them has decided on an older record, and nothing happens', async () => {
    const { id } = await begun()
    const before = await load(id)
    await pipelines.cancel({ id, ...ask })
    expect(await look(others, { ...before, now_ms: before.now_ms + 3_600_000 })).toBeUndefined()
    expect((await load(id)).snapshot.children).toMatchObject([{ status: 'starting' }])
  })
})

test('of two that start the same pipeline at once, one does', async () => {
  const { id } = await begun()
  const definition = definitionOf('none')
  const draft = {
    ...{ workspace_id: DEFAULT_WORKSPACE_ID, name: 'test', bundle_path: 'test', bundle_digest: 'sha256:x' },
    ...{ definition, definition_digest: pipelines.digestOf(definition), environment: 'development' },
    ...{ environment_class: 'development', profile: 'default', inputs: {}, inputs_hash: 'sha256:none', reason: null },
    ...{
      provenance: {},
      cap_micro_usd: 1_000_000,
      events: [{ key: 'pipeline/queued', type: 'pipeline.queued' }],
      audit: [],
    },
  }
  const twice = ids.next('pipeline')
  await Promise.all([pipelines, others, pipelines, others].map((store) => store.start({ ...draft, id: twice })))
  expect(await load(twice)).toMatchObject({ version: 0, snapshot: { status: 'queued', steps: [{}] } })
  // one that is under way stays as it is
  await pipelines.start({ ...draft, id })
  expect((await load(id)).snapshot.status).toBe('running')
})

test('a run that was admitted stands on the record of its pipeline with the same commit, and a look has nothing to add', async () => {
  const { id, run_id } = await begun()
  const { version } = await load(id)
  await createRunStore(database.db).admit([draftOf(id, run_id)])
  const loaded = await load(id)
  expect(loaded).toMatchObject({ version: version + 1, snapshot: { children: [{ run_id, status: 'queued' }] } })
  expect(await look(pipelines, loaded)).toBe(version + 1)
  const [event] = await database.db`
    select seq::int, type, step_id, data from pipeline_events where pipeline_id = ${id} order by seq desc limit 1`
  expect(event).toMatchObject({
    type: 'run.started',
    step_id: 'one',
    data: { run_id, index: 0, role: 'run', status: 'queued' },
  })
})

test('a run is admitted for the pipeline that waits for it, in its workspace, and for no other', async () => {
  const [{ id, run_id }, elsewhere] = [await begun(), await begun()]
  const workspace_id = ids.next('workspace')
  await addWorkspace(database, workspace_id, 'claimant')
  const draft = draftOf(id, run_id)
  for (const other of [{ ...draft, workspace_id }, draftOf(elsewhere.id, run_id)])
    await expect(createRunStore(database.db).admit([other])).rejects.toMatchObject({ code: 'conflict' })
  expect(await createRunStore(database.db).admit([draft])).toMatchObject([{ run_id, started: true }])
})

test('a run that waits for people a second time is told a second time', async () => {
  const { id, run_id } = await begun()
  await createRunStore(database.db).admit([draftOf(id, run_id)])
  for (const status of ['running', 'awaiting_approval', 'running', 'awaiting_approval', 'running']) {
    await database.db`update runs set status = ${status}, awaiting_since = case ${status} when 'awaiting_approval' then now() end where id = ${run_id}`
    await look(pipelines, await load(id))
  }
  const rows = await database.db<{ type: string }[]>`
    select type from pipeline_events where pipeline_id = ${id} and type in ('step.awaiting_approval', 'step.running') order by seq`
  const turn = ['step.running', 'step.awaiting_approval']
  expect(rows.map(({ type }) => type)).toEqual([...turn, ...turn, 'step.running'])
})

test('a run that is under way, or takes another back, does not bring its inputs along at every look', async () => {
  const { id, run_id } = await begun()
  await database.db`update pipeline_children set inputs = '{"url": "x"}' where run_id = ${run_id}`
  expect((await load(id)).snapshot.children).toMatchObject([{ status: 'starting', inputs: { url: 'x' } }])
  await createRunStore(database.db).admit([draftOf(id, run_id)])
  await look(pipelines, await load(id))
  expect((await load(id)).snapshot.children).toMatchObject([{ status: 'queued', inputs: {} }])
  expect(await pipelines.givenTo(id, { step_id: 'one', index: 0 })).toMatchObject({ own: { url: 'x' } })
})

describe('the sweep finds again', () => {
  const overdue = async () =>
    await createPipelineWakes(database.db).overdue({ late_ms: -1_000, unmoved_ms: -1_000 }, 100)

  test('a step that was advanced, and a run that was to stop, when nobody was told', async () => {
    const { id, run_id } = await begun()
    await createRunStore(database.db).admit([draftOf(id, run_id)])
    await look(pipelines, await load(id))
    expect(await overdue()).not.toContain(id)
    await database.db`update pipeline_children set cancel_reason = 'too slow' where run_id = ${run_id}`
    expect(await overdue()).toContain(id)
    await database.db`update pipeline_children set cancel_reason = null where run_id = ${run_id}`
    const waiting = await begun('manual')
    expect(await overdue()).not.toContain(waiting.id)
    const change = { id: waiting.id, step_id: 'one', advanced: { inputs: {} }, events: [], audit: [] }
    expect(await pipelines.advance(change)).toBeUndefined()
    expect(await overdue()).toContain(waiting.id)
  })

  test('a cancel that nobody was told of, also of a pipeline that fails already, but none that takes back', async () => {
    const { id, run_id } = await begun()
    await createRunStore(database.db).admit([draftOf(id, run_id)])
    await look(pipelines, await load(id))
    const closing = { as: 'failed', compensate: true, error: null }
    await database.db`update pipelines set closing = ${database.db.json(closing)}, cancel = '{}' where id = ${id}`
    expect(await overdue()).toContain(id)
    await database.db`update pipeline_steps set state = 'failed', ended_at = now() where pipeline_id = ${id}`
    expect(await overdue()).not.toContain(id)
  })
})

test('a look does not read the outputs of runs that have ended, and gets them where it asks', async () => {
  const { id, run_id } = await begun()
  // what can be packed into little room is read at once
  const outputs = { text: `ä${randomBytes(4_000).toString('hex')}` }
  await createRunStore(database.db).admit([draftOf(id, run_id)])
  await look(pipelines, await load(id))
  for (const status of ['running', 'succeeded'])
    await database.db`
      update runs set status = ${status}, started_at = now(), ended_at = case when ${status} = 'succeeded' then now() end,
        outputs = case when ${status} = 'succeeded' then ${database.db.json(outputs)}::jsonb end where id = ${run_id}`
  const ended = await load(id)
  expect(ended.runs.get(run_id)?.outputs, 'of one that has just ended they are there').toEqual(outputs)
  // its outputs are on record, while its step is not over yet
  await database.db`
    update pipeline_children set status = 'succeeded', ended_at = now(), outputs = ${database.db.json(outputs)}::jsonb where run_id = ${run_id}`
  const { snapshot } = await load(id)
  expect(snapshot.children).toMatchObject([{ outputs: null, left_out_bytes: expect.any(Number) }])
  expect(snapshot.children[0]?.left_out_bytes).toBeGreaterThanOrEqual(JSON.stringify(outputs).length)
  const filled = await pipelines.withOutputs(await load(id), ['one'])
  expect(filled.snapshot.children).toMatchObject([{ outputs, left_out_bytes: null }])
  await look(pipelines, filled)
  const over = await load(id)
  expect(over.snapshot.status).toBe('succeeded')
  expect(over.snapshot.steps).toMatchObject([{ outputs: null, is_left_out: true }])
  expect((await pipelines.withOutputs(over, ['one'])).snapshot.steps).toMatchObject([{ outputs, is_left_out: false }])
})

test('a refused claim about a pipeline is recorded under it, in its workspace, no matter what else is refused', async () => {
  const workspace = ids.next('workspace')
  await addWorkspace(database, workspace, 'claimed')
  const id = await started('none', workspace)
  const deps = { decisions: createGateDecisions(database.db), clock: Date.now, ids }
  for (const subject of ['', id]) await refuseClaim(deps, 'unknown_shape', subject)
  const records = await database.db`
    select draft ->> 'workspace_id' as workspace, draft #>> '{data,kind}' as kind from audit_outbox
    where draft ->> 'action' = 'claim.refused' and draft #>> '{subject,id}' = ${id}`
  expect(records).toEqual([{ workspace, kind: 'unknown_shape' }])
})
