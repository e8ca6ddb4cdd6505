import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type AuthApi, codeOf, createAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('setHalt')

const HALTS = '/console/api/halts'
const OTHER = 'ws_0000000000000000000000000b'
const NOWHERE = 'ws_0000000000000000000000000c'
const REASON = 'The database is being restored'

const database = testDatabase()
beforeAll(() => addWorkspace(database, OTHER, 'other'))
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
      if (meant !== undefined) expect(detail).toContain(`; did you mean ${meant}?`)
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
