import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { CreatedSchedule } from '#core/schedule/schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { fireSchedule } from '#services/schedules/fire-schedule.ts'
import { createTestApi, type TestApi } from '../support/api-client.ts'
import { type AuthApi, codeOf, createAuthApi } from '../support/auth-api.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createTestInbox } from '../support/inbox.ts'
import { createIngressApi, post as deliver, deployment } from '../support/ingress.ts'
import { createRecordDeps } from '../support/record-engine.ts'
import { storeAt } from '../support/schedule-store.ts'
import { addWorkspace } from '../support/tenants.ts'
import { admitTestRun, parkTestRun } from '../support/test-runs.ts'
import { addUser, bearer } from '../support/users.ts'

const HALTS = '/console/api/halts'
const OTHER = 'ws_0000000000000000000000000b'
const NOWHERE = 'ws_0000000000000000000000000c'
const REASON = 'The database is being restored'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  await addWorkspace(database, OTHER, 'other')
})
afterAll(() => database?.drop())
beforeEach(() => database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`)

describe('who may halt what', () => {
  let api: AuthApi
  const as = async (roles: string[], workspaces: string[] = [DEFAULT_WORKSPACE_ID]) =>
    bearer(api.deps, await addUser(api.deps, { roles, workspaces }))
  const set = (headers: Record<string, string>, scope: object = {}) =>
    api.post(HALTS, { scope, reason: REASON }, headers)
  const lift = (id: string, headers: Record<string, string>) =>
    api.app.request(`${HALTS}/${id}`, { method: 'DELETE', headers })
  const idOf = async (answer: Response) => HaltRecord.parse(await answer.json()).id

  beforeAll(async () => {
    api = await createAuthApi(database)
  })
  afterAll(() => api?.close())

  it('takes an admin, and for more than a workspace one of all of them', async () => {
    for (const role of ['viewer', 'approver', 'operator', 'service'])
      expect(await codeOf(await set(await as([role]), { workspace: DEFAULT_WORKSPACE_ID }))).toEqual([403, 'forbidden'])
    const [own, all] = [await as(['admin']), await as(['admin'], ['*'])]
    const { id: requester } = await addUser(api.deps)
    const template = 'incident/service-recovery'
    for (const scope of [{}, { environment: 'production' }, { template }, { requester }]) {
      expect(await codeOf(await set(own, scope))).toEqual([403, 'forbidden'])
      expect((await set(all, scope)).status).toBe(201)
    }
    expect((await set(own, { workspace: DEFAULT_WORKSPACE_ID, environment: 'production' })).status).toBe(201)
    expect(await codeOf(await set(own, { workspace: OTHER }))).toEqual([404, 'not_found'])
    expect((await set(all, { workspace: OTHER })).status).toBe(201)
    expect(await codeOf(await set(all, { workspace: NOWHERE }))).toEqual([404, 'not_found'])
  })

  it('takes the same to lift it, once', async () => {
    const [own, all] = [await as(['admin']), await as(['owner'], ['*'])]
    const everything = await idOf(await set(all))
    const elsewhere = await idOf(await set(all, { workspace: OTHER }))
    const here = await idOf(await set(all, { workspace: DEFAULT_WORKSPACE_ID }))
    expect(await codeOf(await lift(everything, own))).toEqual([403, 'forbidden'])
    expect(await codeOf(await lift(elsewhere, own))).toEqual([404, 'not_found'])
    expect((await lift(here, own)).status).toBe(204)
    expect(await codeOf(await lift(here, own))).toEqual([404, 'not_found'])
    expect((await lift(everything, all)).status).toBe(204)
  })

  it('shows everybody the halts that may stop them, and no other', async () => {
    const all = await as(['owner'], ['*'])
    const [everything, elsewhere] = [await idOf(await set(all)), await idOf(await set(all, { workspace: OTHER }))]
    const seen = async (headers: Record<string, string>) =>
      HaltRecord.array()
        .parse(await (await api.get(HALTS, headers)).json())
        .map(({ id }) => id)
    expect(await seen(await as(['viewer']))).toEqual([everything])
    expect(await seen(await as(['viewer'], [OTHER]))).toEqual([elsewhere, everything])
    expect(await seen(all)).toEqual([elsewhere, everything])
    expect((await api.get(HALTS)).status).toBe(401)
  })

  it('keeps who, why and how many on record, and one halt for one key', async () => {
    const owner = await addUser(api.deps, { roles: ['owner'], workspaces: ['*'], display_name: 'Ann' })
    const headers = await bearer(api.deps, owner)
    const scope = { environment: 'development' }
    const keyed = { ...headers, 'idempotency-key': 'one' }
    const [first, second] = [await idOf(await set(keyed, scope)), await idOf(await set(keyed, scope))]
    expect(second).toBe(first)
    expect((await lift(first, headers)).status).toBe(204)
    const records = await database.db<{ draft: object }[]>`
      select draft from audit_outbox where draft #>> '{subject,id}' = ${first} order by id`
    expect(records.map(({ draft }) => draft)).toMatchObject(
      ['halt.set', 'halt.lifted'].map((action) => ({
        action,
        category: 'admin',
        actor: { type: 'user', id: owner.id, auth: 'jwt' },
        data: { scope, reason: REASON, held: { runs: expect.any(Number) } },
      })),
    )
  })

  it('wants names that somebody knows, and says which is near: a halt of nothing would be no halt', async () => {
    const all = await as(['owner'], ['*'])
    const person = await addUser(api.deps, { email: 'grace@example.test' })
    for (const [part, name, meant] of [
      ['environment', 'prodution', 'production'],
      ['environment', 'Development', 'development'],
      ['template', 'incident/Service-recovery', 'incident/service-recovery'],
      ['requester', 'grcae@example.test', person.email],
      ['requester', `${person.id} `, person.id],
      ['requester', 'usr_nobody', undefined],
    ] as const) {
      const answer = await set(all, { [part]: name })
      const { code, errors, detail } = (await answer.json()) as { code: string; errors: object[]; detail: string }
      expect([answer.status, code]).toEqual([422, 'validation_failed'])
      expect(errors).toMatchObject([{ pointer: `/scope/${part}` }])
      expect(detail.includes('did you mean')).toBe(meant !== undefined)
      if (meant !== undefined) expect(detail).toContain(`did you mean "${meant}"?`)
    }
    expect(await database.db`select from halts where lifted_at is null`).toHaveLength(0)
  })

  it('takes people and service accounts by their address, and holds them by their id', async () => {
    const all = await as(['owner'], ['*'])
    const person = await addUser(api.deps, { email: 'held@example.test' })
    const made = HaltRecord.parse(await (await set(all, { requester: 'Held@Example.test' })).json())
    expect(made.scope).toEqual({ requester: person.id })
  })

  it('knows what active runs are about, also where nothing of it is loaded any more', async () => {
    const all = await as(['owner'], ['*'])
    const id = await admitTestRun(api)
    const provenance = { actor: { id: 'usr_gone' }, human_root: { user_id: 'usr_behind', via: ['api'] } }
    const scopes = [
      { environment: 'gone' },
      { template: 'gone/away' },
      { requester: 'usr_gone' },
      { requester: 'usr_behind' },
    ]
    for (const scope of scopes) expect((await set(all, scope)).status).toBe(422)
    await database.db`
      update runs set environment = 'gone', pack = 'gone', template = 'away', provenance = ${database.db.json(provenance)}
      where id = ${id}`
    for (const scope of scopes)
      expect(HaltRecord.parse(await (await set(all, scope)).json())).toMatchObject({ scope, held: { runs: 1 } })
    await database.db`update runs set environment = 'development', pack = 'incident', template = 'service-recovery' where id = ${id}`
  })

  it('wants a reason and a scope that means something', async () => {
    const all = await as(['owner'], ['*'])
    for (const body of [
      { scope: {} },
      { scope: {}, reason: '  ' },
      { scope: { environments: 'x' }, reason: 'y' },
      { scope: { template: 'no-slash' }, reason: 'y' },
      { scope: { workspace: 'default' }, reason: 'y' },
    ])
      expect(await codeOf(await api.post(HALTS, body, all))).toEqual([422, 'validation_failed'])
  })
})

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
  let api: TestApi

  beforeAll(async () => {
    api = await createTestApi(database, {
      services: { engine: { ...createIdleEngine() } },
      intake: { inbox: createTestInbox(database) },
    })
    Object.assign(api.deps.services.environments, { rules: () => [RULE, { ...RULE, name: 'seen', on: 'pattern' }] })
  })
  afterAll(() => api?.close())

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

  it('a schedule notes the time that it was kept from', async () => {
    const draft = { name: 'kept', cron: '*/10 * * * *', pack: 'incident', template: 'service-recovery' }
    const made = await createTestApi(database, { services: { clock: () => Date.parse(NOMINAL) } })
    const { id: schedule_id } = CreatedSchedule.parse(await (await made.post('/triggers/scheduled', draft)).json())
    await halt({ requester: schedule_id })
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
  return { start: async () => {}, decide: absent, cancel: absent }
}
