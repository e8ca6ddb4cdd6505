import { beforeAll, describe, expect, it } from 'vitest'
import { RefusedStart } from '#core/halt/refused-schema.ts'
import { RunLineage } from '#core/run/lineage-schema.ts'
import { Run } from '#core/run/schema.ts'
import { RunStep } from '#core/run/step-schema.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { type TestApi, testApi } from '#test/support/api-client.ts'
import { ask } from '#test/support/ask-operation.ts'
import { chainWaiting } from '#test/support/chain-waiting.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { onePack, TEST_PLAN } from '#test/support/one-pack.ts'
import { parkPipeline } from '#test/support/pipeline-place.ts'
import { itRefuses, likeItsExample, type Prepare } from '#test/support/refused-operation.ts'
import { REPEATS } from '#test/support/start-refusals.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, failTestRun, finishTestRun, parkTestRun, runDraft } from '#test/support/test-runs.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

/** A failed run whose records are not in the chain, as they are for a moment after its end. */
const unchained: Prepare<Awaited<ReturnType<typeof sharedWorld>>> = async (world, route) => {
  const id = await failTestRun(world.api, {}, { chained: false })
  return () => ask(world, route, { params: { id }, body: {} }, 'owner')
}

itIsGuarded('retryRun')
itRefuses('retryRun', sharedWorld, [
  [409, 'conflict', REPEATS.underWay],
  [403, 'policy_denied', REPEATS.denied],
  [403, 'frozen', REPEATS.frozen],
  [423, 'halted', REPEATS.halted],
  [409, 'plan_changed', likeItsExample({ body: { template_digest: `sha256:${'0'.repeat(64)}` } })],
  [503, 'audit_unavailable', unchained],
])

const OTHER = 'ws_0000000000000000000000000c'
/** what is installed, which a test may change */
let template = onePack().findTemplate('incident', 'service-recovery')
const packs: ServiceDeps['packs'] = { ...onePack(), findTemplate: () => template }

const database = testDatabase()
const api: TestApi = testApi(database, { secret: SECRET, services: { packs } })
let ben: Record<string, string>
beforeAll(async () => {
  await addWorkspace(database, OTHER, 'other')
  ben = await bearer(api.deps, await addUser(api.deps, { roles: ['operator', 'approver'] }))
})

const retry = async (id: string, body: object = {}, headers = ben) => await api.post(`/runs/${id}/retry`, body, headers)
const retried = async (id: string) => Run.parse(await (await retry(id)).json())
const refusal = async (answer: Response) => {
  const { status, code, detail } = (await answer.json()) as { status: number; code: string; detail: string }
  return `${status} ${code}: ${detail}`
}
/** A run that its engine lost while somebody was asked whether its second step had acted. */
async function loseAtUnknown(): Promise<string> {
  const run_id = await admitTestRun(api)
  await api.runs.take(run_id)
  const about = { step_id: 'act', ordinal: 1, attempt: 1, plan_hash: TEST_PLAN.digest }
  await api.runs.record({ run_id, any_fence: true, open: { ...about, reserve_micro_usd: 0, ask_standing: false } })
  await parkTestRun(api, run_id, { kind: 'outcome_unknown', attempt: 1 })
  const error = { code: 'engine_lost', message: 'x', retryable: false }
  await api.runs.record({ run_id, take_fence: true, run: { status: 'failed', error } })
  return run_id
}

describe('POST /runs/{id}/retry', () => {
  it('takes over the outputs of the steps before the failed one, at no cost, and says whose they are', async () => {
    const first = await failTestRun(api)
    await database.db`update run_steps set cost_micro_usd = 7000 where run_id = ${first}`
    const run = await retried(first)
    const taken_over_from = { run_id: first, attempt: 1, outputs_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }
    expect(run).toMatchObject({
      status: 'queued',
      total_usd: 0,
      provenance: {
        retry_of: first,
        failed: { step: expect.any(String), message: expect.stringMatching(/./) },
        taken_over: { evidence: taken_over_from },
        trigger: { type: 'retry', parent_run_id: first },
      },
      progress: {
        percent: 50,
        steps: [
          { id: 'evidence', state: 'succeeded', attempt: 1, cost_usd: 0, taken_over_from },
          { id: 'act', state: 'pending', attempt: 0 },
        ],
      },
    })
    expect(run.progress.steps[1]).not.toHaveProperty('taken_over_from')
    const steps = RunStep.array().parse(await (await api.get(`/runs/${run.id}/steps`, ben)).json())
    expect(steps[0]).toMatchObject({ state: 'succeeded', outputs: { value: { status: 503 } }, taken_over_from })
    expect(steps[0]?.outputs?.digest).toBe(steps[0]?.taken_over_from?.outputs_hash)
    const { events } = (await (await api.get(`/runs/${run.id}/events`, ben)).json()) as { events: object[] }
    expect(events).toMatchObject([
      { seq: 1, type: 'run.queued' },
      { seq: 2, type: 'step.completed', step: 'evidence', data: { taken_over_from } },
    ])
    const [record] = await database.db`
      select draft from audit_outbox where draft ->> 'action' = 'run.admitted' and draft ->> 'run_id' = ${run.id}`
    expect(record?.['draft'].data).toMatchObject({ retry_of: first, taken_over: { evidence: taken_over_from } })
    const lineage = async (id: string) => RunLineage.parse(await (await api.get(`/runs/${id}/lineage`, ben)).json())
    expect((await lineage(first)).led_to).toMatchObject([{ run_id: run.id, trigger: 'retry' }])
    await chainWaiting(api.db)
    const { origins, story } = await lineage(run.id)
    expect(origins).toMatchObject([{ run_id: first, status: 'failed' }])
    expect(story).toContainEqual({
      title: 'retry',
      text: `of ${first}; not executed, but taken over: evidence of ${first} (attempt 1)`,
    })
  })

  it('takes over artifacts, and a retry of a retry names the run that did the work', async () => {
    const first = await failTestRun(api)
    const digest = `sha256:${'b'.repeat(64)}`
    await database.db`insert into artifact_bodies (digest, body) values (${digest}, 'x')`
    await database.db`
      insert into artifacts (id, run_id, workspace_id, step_id, name, media_type, size_bytes, digest)
      select 'art_' || left(md5(${first}), 26), id, workspace_id, 'evidence', 'found.md', 'text/markdown', 1, ${digest}
      from runs where id = ${first}`
    const second = await retried(first)
    expect(await (await api.get(`/runs/${second.id}/artifacts`, ben)).json()).toMatchObject([
      { run_id: second.id, step: 'evidence', name: 'found.md', digest },
    ])
    await api.runs.record({
      run_id: second.id,
      any_fence: true,
      settle: { step_id: 'act', ordinal: 1, state: 'failed', attempt: 1, error: { code: 'x', message: 'x' } },
      run: { status: 'running' },
    })
    await finishTestRun(api, second.id, undefined, 'failed')
    const third = await retried(second.id)
    expect(third.provenance['taken_over']).toMatchObject({ evidence: { run_id: first, attempt: 1 } })
  })

  it('of many retries at once one is admitted; after people have stopped it there may be another', async () => {
    const first = await failTestRun(api)
    const answers = await Promise.all(Array.from({ length: 5 }, () => retry(first)))
    const [won, ...more] = answers.filter(({ status }) => status === 202)
    expect(more).toEqual([])
    const { id } = Run.parse(await won?.json())
    for (const lost of answers.filter(({ status }) => status !== 202))
      expect(await refusal(lost)).toBe(`409 conflict: the run has been retried as ${id}, which is queued`)
    await database.db`update runs set status = 'cancelling' where id = ${id}`
    await finishTestRun(api, id, undefined, 'cancelled').catch(() => undefined)
    await database.db`update runs set status = 'cancelled', ended_at = now() where id = ${id} and ended_at is null`
    expect((await retry(first)).status).toBe(202)
  })

  /** People stop a run whose second step has succeeded, or was never begun. */
  async function stop(run_id: string, acted: boolean): Promise<void> {
    const settle = { step_id: 'act', ordinal: 1, state: 'succeeded' as const, attempt: 1, outputs: {} }
    await api.runs.record({ run_id, any_fence: true, run: { status: 'running' }, ...(acted && { settle }) })
    await database.db`update runs set status = 'cancelling' where id = ${run_id}`
    await api.runs.record({ run_id, take_fence: true, run: { status: 'cancelled' } })
  }

  it('after a retry that people stopped when it had acted there is no other, which would do that once more', async () => {
    const first = await failTestRun(api)
    const { id } = await retried(first)
    await stop(id, true)
    expect(await refusal(await retry(first))).toMatch(
      new RegExp(
        `^409 conflict: the run has been retried as ${id}, which is cancelled and may have acted: .*start the run again`,
      ),
    )
    const second = await failTestRun(api)
    await stop((await retried(second)).id, false)
    expect((await retry(second)).status).toBe(202)
  })

  it('after a retry that only read, and was stopped, there may be another', async () => {
    const [evidence, act] = TEST_PLAN.steps
    if (evidence === undefined || act === undefined) throw new Error('no steps')
    const digest = `sha256:${'1'.repeat(64)}`
    const plan = { ...TEST_PLAN, steps: [evidence, { ...act, action_type: 'read' }], digest }
    const before = template
    template = before && { ...before, plan }
    const first = await failTestRun(api, { plan, plan_digest: digest, template_digest: digest })
    await stop((await retried(first)).id, true)
    const again = await retry(first)
    template = before
    expect(again.status).toBe(202)
  })

  it('refuses what it cannot go on from, and says what to do instead', async () => {
    const succeeded = await admitTestRun(api)
    await finishTestRun(api, succeeded)
    const dry = await failTestRun(api, { dry_run: true })
    const lost = await failTestRun(api)
    await database.db`update run_steps set error = null where run_id = ${lost} and step_id = 'act'`
    const crashed = await failTestRun(api, {}, { act: { error: { code: 'process_ended', message: 'x' } } })
    const unknown = await loseAtUnknown()
    const done = await failTestRun(api, {}, { act: { state: 'succeeded', outputs: {} } })
    const answers = await Promise.all(
      [succeeded, dry, lost, crashed, unknown, done].map(async (id) => refusal(await retry(id))),
    )
    expect(answers).toEqual([
      expect.stringContaining('409 conflict: the run is succeeded: only a failed run is retried; start it again'),
      expect.stringContaining('dry run'),
      ...['act', 'act', 'evidence'].map((step) => expect.stringContaining(`it is not known how step ${step} ended`)),
      expect.stringContaining('no step of the run failed'),
    ])
  })

  it('refuses a run of a pipeline, and says that pipelines have no retry', async () => {
    const world = await sharedWorld()
    const { id, runs } = await parkPipeline(world.api, world.as('owner'))
    const run = runs[0] ?? ''
    const error = { code: 'internal', message: 'x', retryable: false }
    await world.api.runs.record({ run_id: run, take_fence: true, run: { status: 'failed', error } })
    const answer = await world.api.post(`/runs/${run}/retry`, {}, world.as('owner'))
    expect(await refusal(answer)).toMatch(
      new RegExp(`409 conflict: .*pipeline ${id}.*have no retry: start the pipeline`),
    )
  })

  it('that a halt refused is listed as a retry, and as one it is started afterwards', async () => {
    const owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
    const [first, other] = [await failTestRun(api), await failTestRun(api)]
    const set = await api.post('/console/api/halts', { scope: {}, reason: 'a drill' }, owner)
    const { id: halt } = (await set.json()) as { id: string }
    expect([(await retry(first)).status, (await api.post(`/runs/${other}/start-again`, {}, ben)).status]).toEqual([
      423, 423,
    ])
    const listed = await api.get(`/console/api/halts/${halt}/refused`, owner)
    await api.app.request(`/console/api/halts/${halt}`, { method: 'DELETE', headers: owner })
    const refused = RefusedStart.array().parse(await listed.json())
    expect(refused.map(({ trigger }) => trigger).sort()).toEqual(['again', 'retry'])
    const starts = refused.map(({ start }) => start)
    expect(starts.map((start) => [start?.operation, start?.path]).sort()).toEqual([
      ['retryRun', `/runs/${first}/retry`],
      ['startAgain', `/runs/${other}/start-again`],
    ])
    for (const start of starts) expect((await api.post(start?.path ?? '', start?.body ?? {}, ben)).status).toBe(202)
    const retries = await api.get('/runs?trigger=retry&limit=200', ben)
    expect((await retries.json()) as object[]).toContainEqual(
      expect.objectContaining({ provenance: expect.objectContaining({ retry_of: first }) }),
    )
    expect(await database.db`select from runs where provenance ->> 'retry_of' = ${first}`).toHaveLength(1)
  })

  it('refuses a template that has changed since', async () => {
    const first = await failTestRun(api)
    const before = template
    template = before && { ...before, plan: { ...TEST_PLAN, digest: `sha256:${'e'.repeat(64)}` } }
    const answer = await retry(first)
    template = before
    expect(await refusal(answer)).toMatch(/^409 plan_changed: .*start the run again$/)
  })

  it('refuses outputs that the audit record does not bear out', async () => {
    const first = await failTestRun(api)
    await database.db`
      update run_steps set outputs = '{"status": 200}' where run_id = ${first} and step_id = 'evidence'`
    expect(await refusal(await retry(first))).toMatch(/^409 conflict: the outputs of step evidence are not those/)
  })

  it('nobody takes over what another workspace has, or sends outputs along', async () => {
    const foreign = await failTestRun(api, { workspace_id: OTHER })
    expect(await refusal(await retry(foreign))).toMatch(/^404 not_found/)
    const first = await failTestRun(api)
    for (const knob of ['taken_over', 'outputs', 'inputs', 'repeat', 'provenance', 'from_step'])
      expect([knob, (await retry(first, { [knob]: {} })).status]).toEqual([knob, 422])
    // even an admission that says so is refused by the database
    const forged = (provenance: object) =>
      api.runs.admit([
        runDraft({
          provenance: { trigger: { type: 'retry' }, ...provenance } as ReturnType<typeof runDraft>['provenance'],
        }),
      ])
    const taken_over = { evidence: { run_id: foreign, attempt: 1 } }
    await expect(forged({ retry_of: foreign, taken_over })).rejects.toMatchObject({ code: 'conflict' })
    await expect(forged({ retry_of: first, taken_over: { act: { run_id: first, attempt: 1 } } })).rejects.toMatchObject(
      {
        code: 'conflict',
      },
    )
    expect(await database.db`select from runs where provenance ->> 'retry_of' in (${foreign}, ${first})`).toEqual([])
  })
})
