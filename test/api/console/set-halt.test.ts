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
  it('takes an approver for a workspace of theirs, and for more than a workspace an admin of all of them', async () => {
    for (const role of ['viewer', 'service'])
      expect(await codeOf(await world.set(await world.as([role]), { workspace: DEFAULT_WORKSPACE_ID }))).toEqual([
        403,
        'forbidden',
      ])
    const { id: requester } = await addUser(world.api.deps)
    const template = 'incident/service-recovery'
    const wider = [{}, { environment: 'production' }, { template }, { requester }]
    for (const role of ['approver', 'operator', 'admin']) {
      const own = await world.as([role])
      for (const scope of wider) expect(await codeOf(await world.set(own, scope))).toEqual([403, 'forbidden'])
      for (const narrowed of wider)
        expect((await world.set(own, { ...narrowed, workspace: DEFAULT_WORKSPACE_ID })).status).toBe(201)
      expect(await codeOf(await world.set(own, { workspace: OTHER }))).toEqual([404, 'not_found'])
    }
    const all = await world.as(['admin'], ['*'])
    for (const scope of [...wider, { workspace: OTHER }]) expect((await world.set(all, scope)).status).toBe(201)
    expect(await codeOf(await world.set(all, { workspace: NOWHERE }))).toEqual([404, 'not_found'])
  })

  it('takes no right to answer gates for others as a right to stop', async () => {
    const account = await addUser(world.api.deps, { roles: ['service'], scopes: ['approvals:on_behalf'] })
    const scope = { workspace: DEFAULT_WORKSPACE_ID }
    expect(await codeOf(await world.set(await bearer(world.api.deps, account), scope))).toEqual([403, 'forbidden'])
  })

  it('covers what its scope says, whichever workspace is addressed, and the refusal says what would do', async () => {
    const addressed = { 'x-svc-workspace': OTHER }
    const all = { ...(await world.as(['admin'], ['*'])), ...addressed }
    expect(HaltRecord.parse(await (await world.set(all)).json()).scope).toEqual({})
    const own = { ...(await world.as(['operator'], [DEFAULT_WORKSPACE_ID, OTHER])), ...addressed }
    const { detail } = (await (await world.set(own)).json()) as { detail: string }
    expect(detail).toContain(`{"workspace":"${OTHER}"}`)
  })

  it('names who may lift it, those of the workspace first, and nobody of all workspaces to others', async () => {
    const people = [
      { roles: ['owner'], workspaces: ['*'], display_name: 'Zoe of all' },
      { roles: ['admin'], workspaces: [OTHER], display_name: 'Ann of other' },
      { roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID], display_name: 'Abe elsewhere' },
      { roles: ['operator'], workspaces: [OTHER], display_name: 'Abe the operator' },
    ]
    const [owner] = await Promise.all(people.map((person) => addUser(world.api.deps, person)))
    if (owner === undefined) throw new Error('no owner')
    const operator = await world.as(['operator'], [OTHER])
    const { may_lift } = HaltRecord.parse(await (await world.set(operator, { workspace: OTHER })).json())
    expect(may_lift[0]).toBe('Ann of other')
    expect(may_lift).toContain('Zoe of all')
    expect(may_lift.some((name) => name.startsWith('Abe'))).toBe(false)
    const everything = await world.idOf(await world.set(await bearer(world.api.deps, owner)))
    const seen = HaltRecord.array().parse(await (await world.api.get(HALTS, operator)).json())
    expect(seen.find(({ id }) => id === everything)?.may_lift).toEqual(['an owner or admin of all workspaces'])
  })

  it('names those without a name by their address to those who see addresses, and to nobody else', async () => {
    await addUser(world.api.deps, { roles: ['admin'], workspaces: [OTHER], email: 'lifter@example.test' })
    const { id, may_lift } = HaltRecord.parse(
      await (await world.set(await world.as(['approver'], [OTHER]), { workspace: OTHER })).json(),
    )
    expect(may_lift).toContain('lifter@example.test')
    const list = await world.api.get(HALTS, await world.as(['viewer'], [OTHER]))
    const seen = HaltRecord.array()
      .parse(await list.json())
      .find((each) => each.id === id)
    expect(seen?.may_lift).not.toEqual([])
    expect(seen?.may_lift.join()).not.toContain('@')
  })

  it('suggests addresses of people only to those who administer them', async () => {
    const { email } = await addUser(world.api.deps, { email: 'hopper@example.test' })
    const asked = async (role: string) =>
      await (
        await world.set(await world.as([role]), { workspace: DEFAULT_WORKSPACE_ID, requester: 'hoper@example.test' })
      ).text()
    expect(await asked('admin')).toContain(email)
    expect(await asked('operator')).not.toContain(email)
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
