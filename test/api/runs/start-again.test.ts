import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { requireApproval } from '#core/plan/estimate-plan.ts'
import { RunLineage } from '#core/run/lineage-schema.ts'
import { Run } from '#core/run/schema.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import { type TestApi, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { onePack, TEST_DIGEST, TEST_PLAN } from '#test/support/one-pack.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { REPEATS } from '#test/support/start-refusals.ts'
import { ALERT, addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, failTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('startAgain')
itRefuses('startAgain', sharedWorld, [
  [409, 'conflict', REPEATS.underWay],
  [403, 'policy_denied', REPEATS.denied],
  [403, 'frozen', REPEATS.frozen],
  [423, 'halted', REPEATS.halted],
  [409, 'plan_changed', likeItsExample({ body: { template_digest: `sha256:${'0'.repeat(64)}` } })],
])

const OTHER = 'ws_0000000000000000000000000c'
/** what is installed, which a test may change */
let template = onePack().findTemplate('incident', 'service-recovery')
const packs: ServiceDeps['packs'] = { ...onePack(), findTemplate: () => template }

const database = testDatabase()
const api: TestApi = testApi(database, { secret: SECRET, services: { packs } })

const operator = async () => await addUser(api.deps, { roles: ['operator', 'approver'] })
const again = async (id: string, body: object, headers: Record<string, string>) =>
  await api.post(`/runs/${id}/start-again`, body, headers)
const startedBy = (id: string): RunDraft['provenance'] => ({
  trigger: { type: 'direct' },
  actor: { type: 'user', id, display: 'x' },
  human_root: { user_id: id, via: ['api'] },
})

describe('POST /runs/{id}/start-again', () => {
  it('is about the alert of the run that it repeats, as severe as that', async () => {
    const ann = await operator()
    const alert = { ...ALERT, severity: 'critical', title: 'checkout is down' } as const
    const first = await failTestRun(api, { alert, provenance: startedBy(ann.id) })
    const run = Run.parse(await (await again(first, {}, await bearer(api.deps, ann))).json())
    expect(run.trigger?.alert).toMatchObject({ severity: 'critical', title: 'checkout is down' })
    expect(run.provenance).toMatchObject({ trigger: { type: 'again', parent_run_id: first } })
  })

  it('starts a run of the same template with what is on record, in the name of the caller', async () => {
    const [ann, ben] = [await operator(), await operator()]
    const first = await failTestRun(api, {
      inputs: { url: 'http://127.0.0.1:8080', rows: [1, 2] },
      labels: { team: 'ops' },
      reason: 'errors after the deploy',
      profile: 'default',
      provenance: startedBy(ann.id),
    })
    const answer = await again(first, {}, await bearer(api.deps, ben))
    const run = Run.parse(await answer.json())
    expect([answer.status, answer.headers.get('location')]).toEqual([202, `/runs/${run.id}`])
    expect(run).toMatchObject({
      status: 'queued',
      template: 'service-recovery',
      inputs: { url: 'http://127.0.0.1:8080', rows: [1, 2] },
      labels: { team: 'ops' },
      reason: 'errors after the deploy',
      environment: 'development',
      profile: 'default',
      total_usd: 0,
      progress: { steps: [{ state: 'pending' }, { state: 'pending' }] },
      provenance: {
        again_of: first,
        trigger: { type: 'again', parent_run_id: first },
        actor: { id: ben.id },
        human_root: { user_id: ben.id },
        contributors: [
          { id: ben.id, did: 'started' },
          { id: ann.id, did: 'shaped_earlier_run', what: first },
        ],
      },
    })
    expect(run.provenance).not.toHaveProperty('template_before')
    const [record] = await database.db`
      select draft from audit_outbox where draft ->> 'action' = 'run.admitted' and draft ->> 'run_id' = ${run.id}`
    expect(record?.['draft']).toMatchObject({
      actor: { id: ben.id },
      data: { again_of: first, trigger: { type: 'again', parent_run_id: first } },
    })
    const reasoned = await again(first, { reason: 'the target is back' }, await bearer(api.deps, ben))
    expect(await reasoned.json()).toMatchObject({ reason: 'the target is back' })
  })

  it('of a step of a pipeline with a gate asks for that approval again', async () => {
    const ben = await bearer(api.deps, await operator())
    const plan = requireApproval(TEST_PLAN, (text) => createHash('sha256').update(text).digest('hex'))
    const first = await failTestRun(api, { plan, plan_digest: plan.digest })
    const { id } = Run.parse(await (await again(first, {}, ben)).json())
    const [row] = await database.db`
      select p.plan -> 'steps' as steps from runs r join plans p on p.digest = r.plan_digest where r.id = ${id}`
    expect(row?.['steps']).toMatchObject([{ requires_approval: true }, { requires_approval: true }])
  })

  it('the lineage shows it from both ends, and nothing of it in another workspace', async () => {
    await addWorkspace(database, OTHER, 'other')
    const ben = await bearer(api.deps, await operator())
    const first = await failTestRun(api)
    const second = Run.parse(await (await again(first, {}, ben)).json()).id
    await admitTestRun(api, {
      workspace_id: OTHER,
      provenance: { trigger: { type: 'again', parent_run_id: first } },
    })
    const lineage = async (id: string) => RunLineage.parse(await (await api.get(`/runs/${id}/lineage`, ben)).json())
    expect((await lineage(first)).led_to).toMatchObject([{ run_id: second, trigger: 'again' }])
    expect((await lineage(second)).origins).toMatchObject([{ run_id: first, status: 'failed', trigger: 'direct' }])
  })

  it('a repeat with the same key starts nothing new', async () => {
    const headers = { ...(await bearer(api.deps, await operator())), 'idempotency-key': 'again-1' }
    const first = await failTestRun(api)
    const ids = [await again(first, {}, headers), await again(first, {}, headers)].map((each) =>
      each.headers.get('location'),
    )
    expect(ids[0]).toBe(ids[1])
  })

  it('says that its template has changed, and refuses one that is gone', async () => {
    const ben = await bearer(api.deps, await operator())
    const first = await failTestRun(api)
    const digest = `sha256:${'e'.repeat(64)}`
    const before = template
    template = before && { ...before, plan: { ...TEST_PLAN, digest, pack_version: '1.1.0' } }
    const changed = Run.parse(await (await again(first, {}, ben)).json())
    template = undefined
    const gone = await again(first, {}, ben)
    template = before
    expect(changed).toMatchObject({
      template_version: '1.1.0',
      template_digest: digest,
      provenance: { template_before: { version: '1.0.0', digest: TEST_DIGEST } },
    })
    expect([gone.status, await gone.json()]).toMatchObject([409, { code: 'plan_changed' }])
  })

  it('never takes a secret from the record: it names what has to be given again', async () => {
    const ben = await bearer(api.deps, await operator())
    const before = template
    const url = { type: 'string' }
    const token = { type: 'string', writeOnly: true }
    template = before && { ...before, inputs_schema: { type: 'object', properties: { url, token } } }
    const declared = await failTestRun(api, { inputs: { url: 'http://x', token: 'plain on an old record' } })
    const marked = await failTestRun(api, {
      inputs: { url: 'http://<secret:token>@x', list: [{ 'a/b': '<secret:x>' }] },
    })
    const answers = await Promise.all([again(declared, {}, ben), again(marked, {}, ben)])
    template = before
    expect(await Promise.all(answers.map((each) => each.json()))).toMatchObject([
      {
        status: 422,
        code: 'validation_failed',
        detail: expect.stringContaining('incident/service-recovery and give token'),
        errors: [{ pointer: '/inputs/token', loc: ['body', 'inputs', 'token'], type: 'hidden_secret' }],
      },
      { status: 422, errors: [{ pointer: '/inputs/url' }, { pointer: '/inputs/list/0/a~1b' }] },
    ])
  })

  it('takes nothing from the request but a reason and the template that was shown', async () => {
    const ben = await bearer(api.deps, await operator())
    const first = await failTestRun(api)
    for (const knob of ['inputs', 'environment', 'labels', 'repeat', 'provenance', 'again_of', 'taken_over'])
      expect([knob, (await again(first, { [knob]: {} }, ben)).status]).toEqual([knob, 422])
    const foreign = await failTestRun(api, { workspace_id: OTHER })
    expect((await again(foreign, {}, ben)).status).toBe(404)
    expect(DEFAULT_WORKSPACE_ID).not.toBe(OTHER)
  })
})
