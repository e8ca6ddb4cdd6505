import { beforeEach, describe, expect, it } from 'vitest'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { HALTS, OTHER, openHaltWorld, REASON } from '#test/support/halt-world.ts'
import { admitTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('setHalt')

const NOWHERE = 'ws_0000000000000000000000000c'

const world = fileFixture(openHaltWorld)
beforeEach(() => world.liftAll())

describe('who may halt what', () => {
  it('takes an admin, and for more than a workspace one of all of them', async () => {
    for (const role of ['viewer', 'approver', 'operator', 'service'])
      expect(await codeOf(await world.set(await world.as([role]), { workspace: DEFAULT_WORKSPACE_ID }))).toEqual([
        403,
        'forbidden',
      ])
    const [own, all] = [await world.as(['admin']), await world.as(['admin'], ['*'])]
    const { id: requester } = await addUser(world.api.deps)
    const template = 'incident/service-recovery'
    for (const scope of [{}, { environment: 'production' }, { template }, { requester }]) {
      expect(await codeOf(await world.set(own, scope))).toEqual([403, 'forbidden'])
      expect((await world.set(all, scope)).status).toBe(201)
    }
    expect((await world.set(own, { workspace: DEFAULT_WORKSPACE_ID, environment: 'production' })).status).toBe(201)
    expect(await codeOf(await world.set(own, { workspace: OTHER }))).toEqual([404, 'not_found'])
    expect((await world.set(all, { workspace: OTHER })).status).toBe(201)
    expect(await codeOf(await world.set(all, { workspace: NOWHERE }))).toEqual([404, 'not_found'])
  })

  it('keeps who, why and how many on record, and one halt for one key', async () => {
    const owner = await addUser(world.api.deps, { roles: ['owner'], workspaces: ['*'], display_name: 'Ann' })
    const headers = await bearer(world.api.deps, owner)
    const scope = { environment: 'development' }
    const keyed = { ...headers, 'idempotency-key': 'one' }
    const [first, second] = [
      await world.idOf(await world.set(keyed, scope)),
      await world.idOf(await world.set(keyed, scope)),
    ]
    expect(second).toBe(first)
    expect((await world.lift(first, headers)).status).toBe(204)
    const records = await world.database.db<{ draft: object }[]>`
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
    const all = await world.as(['owner'], ['*'])
    const person = await addUser(world.api.deps, { email: 'grace@example.test' })
    for (const [part, name, meant] of [
      ['environment', 'prodution', 'production'],
      ['environment', 'Development', 'development'],
      ['template', 'incident/Service-recovery', 'incident/service-recovery'],
      ['requester', 'grcae@example.test', person.email],
      ['requester', `${person.id} `, person.id],
      ['requester', 'usr_nobody', undefined],
    ] as const) {
      const answer = await world.set(all, { [part]: name })
      const { code, errors, detail } = (await answer.json()) as { code: string; errors: object[]; detail: string }
      expect([answer.status, code]).toEqual([422, 'validation_failed'])
      expect(errors).toMatchObject([{ pointer: `/scope/${part}` }])
      expect(detail.includes('did you mean')).toBe(meant !== undefined)
      if (meant !== undefined) expect(detail).toContain(`; did you mean ${meant}?`)
    }
    expect(await world.database.db`select from halts where lifted_at is null`).toHaveLength(0)
  })

  it('takes people and service accounts by their address, and holds them by their id', async () => {
    const all = await world.as(['owner'], ['*'])
    const person = await addUser(world.api.deps, { email: 'held@example.test' })
    const made = HaltRecord.parse(await (await world.set(all, { requester: 'Held@Example.test' })).json())
    expect(made.scope).toEqual({ requester: person.id })
  })

  it('knows what active runs are about, also where nothing of it is loaded any more', async () => {
    const all = await world.as(['owner'], ['*'])
    const id = await admitTestRun(world.api)
    const provenance = { actor: { id: 'usr_gone' }, human_root: { user_id: 'usr_behind', via: ['api'] } }
    const scopes = [
      { environment: 'gone' },
      { template: 'gone/away' },
      { requester: 'usr_gone' },
      { requester: 'usr_behind' },
    ]
    for (const scope of scopes) expect((await world.set(all, scope)).status).toBe(422)
    await world.database.db`
      update runs set environment = 'gone', pack = 'gone', template = 'away', provenance = ${world.database.db.json(provenance)}
      where id = ${id}`
    for (const scope of scopes)
      expect(HaltRecord.parse(await (await world.set(all, scope)).json())).toMatchObject({ scope, held: { runs: 1 } })
    await world.database
      .db`update runs set environment = 'development', pack = 'incident', template = 'service-recovery' where id = ${id}`
  })

  it('wants a reason and a scope that means something', async () => {
    const all = await world.as(['owner'], ['*'])
    for (const body of [
      { scope: {} },
      { scope: {}, reason: '  ' },
      { scope: { environments: 'x' }, reason: 'y' },
      { scope: { template: 'no-slash' }, reason: 'y' },
      { scope: { workspace: 'default' }, reason: 'y' },
    ])
      expect(await codeOf(await world.api.post(HALTS, body, all))).toEqual([422, 'validation_failed'])
  })
})
