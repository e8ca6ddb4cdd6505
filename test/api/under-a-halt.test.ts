import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RefusedStart } from '#core/halt/refused-schema.ts'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { CreatedSchedule } from '#core/schedule/schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { fireSchedule } from '#services/schedules/fire-schedule.ts'
import { createTestApi, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { createIngressApi, post as deliver, deployment } from '#test/support/ingress.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { storeAt } from '#test/support/schedule-store.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser } from '#test/support/users.ts'

const HALTS = '/console/api/halts'
const OTHER = 'ws_0000000000000000000000000b'
const REASON = 'The database is being restored'

const database = testDatabase()
beforeAll(() => addWorkspace(database, OTHER, 'other'))
beforeEach(() => database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`)

describe('under a halt', () => {
  const RULE: TriggerRule = {
    ...{
      name: 'down',
      on: 'alert',
      match: { symptom: 'Down', severity: [], labels: {} },
      run: 'incident/service-recovery',
    },
    ...{ inputs: {}, on_resolved: 'record', limits: {}, layer: 'overlay', origin: 'rules/test.yaml' },
  }
  const NOMINAL = '2026-03-28T12:00:00Z'
  const inputs = { url: 'http://127.0.0.1:1' }
  const named = { pack: 'incident', template: 'service-recovery', inputs }

  const api = testApi(database, () => ({
    services: { engine: createIdleEngine() },
    intake: { inbox: createTestInbox(database) },
  }))
  beforeAll(async () => {
    Object.assign(api.deps.services.environments, { rules: () => [RULE, { ...RULE, name: 'seen', on: 'pattern' }] })
  })

  const halt = async (scope: object = {}) =>
    HaltRecord.parse(await (await api.post(HALTS, { scope, reason: REASON })).json())
  const runs = async () => (await database.db<{ n: number }[]>`select count(*)::int as n from runs`)[0]?.n

  it('every start answers 423 with its id, and starts nothing', async () => {
    const { id: halt_id } = await halt()
    const before = await runs()
    for (const answer of [
      await api.post('/packs/incident/service-recovery/run', { inputs }),
      await api.post('/packs/incident/service-recovery/run', { inputs, dry_run: true }),
      await api.post('/triggers/manual', { ...named, wait: true }),
    ])
      expect([answer.status, await answer.json()]).toEqual([
        423,
        expect.objectContaining({ code: 'halted', halt_id, reason: REASON }),
      ])
    expect(await runs()).toBe(before)
    const [record] = await database.db<{ draft: object }[]>`
      select draft from audit_outbox where draft ->> 'action' = 'run.halted' order by id desc limit 1`
    expect(record?.draft).toMatchObject({ category: 'trigger', data: { halt_id, environment: 'development' } })
  })

  it('what other tools send is recorded with that outcome', async () => {
    await halt()
    const before = await runs()
    const alert = await api.post('/triggers/alert', { source: 'probe', service: 'a', symptom: 'Down' })
    expect(await alert.json()).toMatchObject({ results: [{ outcome: 'halted', rule: 'down' }] })
    const pattern = { pattern: 'Down', service: 'a', symptom: 'Down', evidence: [] }
    for (const body of [pattern, { ...pattern, ...named }])
      expect(await (await api.post('/triggers/pattern', body)).json()).toMatchObject({ outcome: 'halted' })
    const ingress = await createIngressApi(database)
    expect(await deliver(ingress, deployment({ service: 'stopped' }), { id: 'stopped-1' })).toMatchObject({
      body: { outcome: 'halted' },
    })
    await ingress.close()
    expect(await runs()).toBe(before)
    const items = (await (await api.get('/triggers/inbox')).json()) as { status: string; error?: { code: string } }[]
    expect(items.length).toBeGreaterThan(0)
    for (const item of items) expect(item).toMatchObject({ status: 'failed', error: { code: 'halted' } })
  })

  const listed = async (id: string) =>
    RefusedStart.array().parse(await (await api.get(`${HALTS}/${id}/refused`)).json())
  const start = async ({ start: request }: RefusedStart) => await api.post(request?.path ?? '', request?.body ?? {})

  it('what it has refused is listed, alike as one, and each starts afterwards by the request that is shown', async () => {
    const { id } = await halt()
    const alert = { source: 'Probe', service: 'kept', symptom: 'Down', severity: 'critical', title: 'kept is down' }
    for (let sent = 0; sent < 3; sent += 1) await api.post('/triggers/alert', { ...alert, labels: { pod: 'a' } })
    const asked = { inputs, reason: 'by hand', labels: { ticket: '4711' } }
    await api.post('/packs/incident/service-recovery/run', asked)
    await api.post('/packs/incident/service-recovery/run', { ...asked, dry_run: true })
    await api.post('/triggers/pattern', { pattern: 'Down', service: 'kept', symptom: 'Down', evidence: [] })
    const [pattern, manual, alerts, ...more] = await listed(id)
    expect(more).toEqual([])
    expect(alerts).toMatchObject({ trigger: 'alert', title: 'kept is down', refused: 3, requested_by: 'Probe' })
    expect(manual).toMatchObject({ trigger: 'direct', title: 'by hand', refused: 1, environment: 'development' })
    // the inbox keeps it
    expect(pattern).toMatchObject({ trigger: 'pattern', start: { operation: 'replayInbox' } })
    if (alerts === undefined || manual === undefined || pattern === undefined) throw new Error('not listed')
    expect(await (await start(alerts)).json()).toMatchObject({ results: [{ outcome: 'halted' }] })
    expect((await start(manual)).status).toBe(423)

    await database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`
    const { results } = (await (await start(alerts)).json()) as { results: { outcome: string; run_id: string }[] }
    expect(results).toMatchObject([{ outcome: 'started' }])
    const run = (await (await api.get(`/runs/${results[0]?.run_id}`)).json()) as object
    expect(run).toMatchObject({ provenance: { trigger: { type: 'alert', rule: 'down' } } })
    expect((await listed(id)).find((each) => each.id === alerts.id)).toMatchObject({
      refused: 4,
      run_id: results[0]?.run_id,
    })
    // what is sent again now is a repetition of that run
    expect(await (await api.post('/triggers/alert', alert)).json()).toMatchObject({
      results: [{ outcome: 'attached' }],
    })
    const started = (await (await start(manual)).json()) as object
    expect(started).toMatchObject({ inputs, reason: 'by hand', labels: { ticket: '4711' } })
    expect(await (await start(pattern)).json()).toMatchObject([{ outcome: 'started' }])
  })

  it('a kept start that it has refused starts once, also where several ask for it at once', async () => {
    const { id } = await halt()
    await api.post('/triggers/manual', { ...named, reason: 'kept by the inbox' })
    await database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`
    const [refused] = await listed(id)
    if (refused === undefined) throw new Error('not listed')
    expect(refused).toMatchObject({ start: { operation: 'replayInbox' } })
    const before = await runs()
    for (const { status } of await Promise.all([1, 2, 3, 4].map(() => start(refused))))
      expect([200, 503]).toContain(status)
    expect(await (await start(refused)).json()).toMatchObject([{ outcome: 'skipped' }])
    expect(await runs()).toBe((before ?? 0) + 1)
  })

  it('an alert that has ended meanwhile starts nothing when it is sent again', async () => {
    const { id } = await halt()
    const alert = { source: 'probe', service: 'over', symptom: 'Down', starts_at: '2026-03-28T12:00:00Z' }
    await api.post('/triggers/alert', alert)
    await api.post('/triggers/alert', { ...alert, status: 'resolved', ends_at: '2026-03-28T12:05:00Z' })
    await database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`
    const [refused] = await listed(id)
    if (refused === undefined) throw new Error('not listed')
    expect(await (await start(refused)).json()).toMatchObject({ results: [{ outcome: 'suppressed' }] })
  })

  it('a schedule notes the time that it was kept from', async () => {
    const draft = { name: 'kept', cron: '*/10 * * * *', pack: 'incident', template: 'service-recovery' }
    const made = await createTestApi(database, { services: { clock: () => Date.parse(NOMINAL) } })
    const { id: schedule_id } = CreatedSchedule.parse(await (await made.post('/triggers/scheduled', draft)).json())
    const { id } = await halt({ requester: schedule_id })
    const fired = await fireSchedule(
      {
        services: made.deps.services,
        store: storeAt(made.deps.reads.schedules.store, () => Date.parse(NOMINAL)),
        workspaces: made.deps.workspaces,
        claims: createRecordDeps(database.db),
      },
      { schedule_id, workspace_id: DEFAULT_WORKSPACE_ID, nominal_at: NOMINAL },
    )
    expect(fired).toMatchObject({ outcome: 'halted', reason: expect.stringContaining(REASON) })
    expect(await listed(id)).toMatchObject([
      { trigger: 'schedule', title: 'kept', start: { operation: 'runTemplate', body: { environment: 'development' } } },
    ])
    await made.close()
  })

  it('a duplicate still attaches to its active run', async () => {
    const send = () => api.post('/triggers/alert', { source: 'probe', service: 'attached', symptom: 'Down' })
    const outcome = async () =>
      ((await (await send()).json()) as { results: { outcome: string }[] }).results[0]?.outcome
    expect(await outcome()).toBe('started')
    await halt({ environment: 'development' })
    expect(await outcome()).toBe('attached')
  })

  it('what its scope does not cover starts as ever', async () => {
    const { id: requester } = await addUser(api.deps)
    for (const scope of [{ environment: 'production' }, { workspace: OTHER }, { requester }]) await halt(scope)
    expect((await api.post('/packs/incident/service-recovery/run', { inputs })).status).toBe(202)
    await halt({ requester: 'usr_local' })
    expect((await api.post('/packs/incident/service-recovery/run', { inputs })).status).toBe(423)
  })

  it('the gate and the health report say so', async () => {
    const id = await admitTestRun(api)
    await parkTestRun(api, id)
    const set = await halt({ environment: 'development' })
    expect(set.held.runs).toBeGreaterThan(0)
    await halt({ environment: 'production' })
    const pending = await (await api.get(`/runs/${id}/pending-approval`)).json()
    expect(pending).toMatchObject({ halts: [{ id: set.id, reason: REASON, by: 'local' }] })
    const report = (await (await api.get('/healthz?verbose')).json()) as { halts: object[] }
    expect(report.halts).toHaveLength(2)
    expect(report.halts[1]).toMatchObject({
      id: set.id,
      scope: { environment: 'development' },
      reason: REASON,
      by: 'local',
    })
    expect(await (await api.get('/healthz')).json()).not.toHaveProperty('halts')
  })
})

function createIdleEngine() {
  const absent = () => Promise.reject(new Error('no engine in this test'))
  return { start: async () => {}, decide: absent, cancel: absent, alive: absent }
}
