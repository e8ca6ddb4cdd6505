import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { InvitedUser, User } from '#core/user/schema.ts'
import type { UserRow } from '#store/users.ts'
import { type AuthApi, codeOf, createAuthApi } from '../support/auth-api.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { addUser, bearer, PASSWORD } from '../support/users.ts'

const NEW_PASSWORD = 'another long enough one'
let database: TestDatabase
let api: AuthApi

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createAuthApi(database)
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})
beforeEach(() => api.forget())

describe('an admin and an owner', () => {
  it('an admin neither makes nor changes an owner', async () => {
    const [by, above] = [await api.admin(), await api.owner()]
    const header = await bearer(api.deps, by)
    const peer = await api.admin()
    const attempts = [
      await api.post('/admin/users', { email: 'z@example.test', roles: ['owner'] }, header),
      await api.patch(`/admin/users/${by.id}`, { roles: ['owner'] }, header),
      await api.patch(`/admin/users/${peer.id}`, { roles: ['admin', 'owner'] }, header),
      await api.patch(`/admin/users/${above.id}`, { display_name: 'x' }, header),
      await api.patch(`/admin/users/${above.id}`, { status: 'disabled' }, header),
      await api.patch(`/admin/users/${above.id}`, { roles: ['viewer'], workspaces: [DEFAULT_WORKSPACE_ID] }, header),
      await api.post(`/admin/users/${above.id}/password`, { password: NEW_PASSWORD }, header),
    ]
    for (const attempt of attempts) expect(await codeOf(attempt)).toEqual([403, 'forbidden'])
    expect(await api.deps.identity.users.find(above.id)).toEqual(above)
  })

  it('an admin of some workspaces gives away no others, and touches nobody who has them', async () => {
    const by = await addUser(api.deps, { roles: ['admin'] })
    const header = await bearer(api.deps, by)
    const peer = await api.admin()
    const viewer = await addUser(api.deps)
    for (const attempt of [
      await api.post('/admin/users', { email: 'w@example.test', roles: ['admin'] }, header),
      await api.patch(`/admin/users/${by.id}`, { workspaces: ['*'] }, header),
      await api.patch(`/admin/users/${peer.id}`, { status: 'disabled' }, header),
      await api.post(`/admin/users/${peer.id}/password`, { password: NEW_PASSWORD }, header),
    ]) {
      expect(await codeOf(attempt)).toEqual([403, 'forbidden'])
    }
    expect((await api.patch(`/admin/users/${viewer.id}`, { roles: ['approver'] }, header)).status).toBe(200)
  })

  it('a user of another account is nobody', async () => {
    const foreign = await addUser(api.deps, { account_id: 'acc_elsewhere' })
    const header = await bearer(api.deps, await api.owner())
    const unknown = 'usr_00000000000000000000000000'
    for (const id of [foreign.id, unknown]) {
      expect(await codeOf(await api.patch(`/admin/users/${id}`, { status: 'disabled' }, header))).toEqual([
        404,
        'not_found',
      ])
      const password = await api.post(`/admin/users/${id}/password`, { password: NEW_PASSWORD }, header)
      expect(await codeOf(password)).toEqual([404, 'not_found'])
    }
    const list = z.array(User).parse(await (await api.get('/admin/users?limit=200', header)).json())
    expect(list.map((each) => each.id)).not.toContain(foreign.id)
  })

  it('the last owner who can sign in is neither disabled nor demoted, by anybody', async () => {
    const account_id = 'acc_last_owner'
    const [one, two] = await Promise.all(
      [1, 2].map(() => addUser(api.deps, { account_id, roles: ['owner'], workspaces: ['*'] })),
    )
    if (one === undefined || two === undefined) throw new Error('no owners')
    const header = await bearer(api.deps, one)
    expect((await api.patch(`/admin/users/${two.id}`, { status: 'disabled' }, header)).status).toBe(200)
    for (const change of [{ status: 'disabled' }, { roles: ['admin'] }, { roles: ['owner'], status: 'disabled' }]) {
      expect(await codeOf(await api.patch(`/admin/users/${one.id}`, change, header))).toEqual([409, 'conflict'])
    }
    expect((await api.patch(`/admin/users/${two.id}`, { status: 'active' }, header)).status).toBe(200)
    expect((await api.patch(`/admin/users/${one.id}`, { roles: ['admin'] }, header)).status).toBe(200)
  })
})

describe('PATCH /admin/users/{id}', () => {
  it('ends the sessions of whoever gets other roles or another status, and of nobody else', async () => {
    const header = await bearer(api.deps, await api.admin())
    const user = await addUser(api.deps)
    const versionAfter = async (change: object) => {
      expect((await api.patch(`/admin/users/${user.id}`, change, header)).status).toBe(200)
      return (await api.deps.identity.users.find(user.id))?.token_version
    }
    const start = user.token_version
    expect(await versionAfter({ display_name: 'Ada', approval_roles: ['dba'], scopes: ['runs:start'] })).toBe(start)
    expect(await versionAfter({ roles: ['viewer'], status: 'active' })).toBe(start)
    expect(await versionAfter({ roles: ['operator'] })).toBe(start + 1)
    expect(await versionAfter({ status: 'disabled' })).toBe(start + 2)
    expect(await versionAfter({ status: 'active' })).toBe(start + 3)
    expect((await api.audited(user)).at(-1)).toMatchObject({
      category: 'admin',
      action: 'user.changed',
      data: { status: 'active' },
    })
  })

  it('activates nobody who could not sign in', async () => {
    const header = await bearer(api.deps, await api.admin())
    const body = { email: 'waiting@example.test', roles: ['viewer'], workspaces: [DEFAULT_WORKSPACE_ID] }
    const { id } = InvitedUser.parse(await (await api.post('/admin/users', body, header)).json())
    expect((await api.patch(`/admin/users/${id}`, { status: 'active' }, header)).status).toBe(422)
    expect((await api.patch(`/admin/users/${id}`, { status: 'disabled' }, header)).status).toBe(200)
    expect((await api.patch(`/admin/users/${id}`, { status: 'active' }, header)).status).toBe(422)
  })

  it('leaves no operator everywhere', async () => {
    const header = await bearer(api.deps, await api.owner())
    const { id } = await api.admin()
    expect((await api.patch(`/admin/users/${id}`, { roles: ['operator'] }, header)).status).toBe(422)
    const change = { roles: ['operator'], workspaces: [DEFAULT_WORKSPACE_ID] }
    expect((await api.patch(`/admin/users/${id}`, change, header)).status).toBe(200)
  })
})

describe('POST /admin/users/{id}/password', () => {
  it('takes the current one for one’s own, from an admin too, and ends every session', async () => {
    for (const roles of [['viewer'], ['admin']]) {
      const user = await addUser(api.deps, { roles })
      const header = await bearer(api.deps, user)
      const set = (body: object) => api.post(`/admin/users/${user.id}/password`, body, header)
      expect((await set({ password: NEW_PASSWORD })).status).toBe(422)
      expect((await set({ password: NEW_PASSWORD, current_password: 'wrong but long enough' })).status).toBe(422)
      expect((await set({ password: 'short', current_password: PASSWORD })).status).toBe(422)
      expect((await set({ password: NEW_PASSWORD, current_password: PASSWORD })).status).toBe(204)
      api.wait(5_001)
      expect((await set({ password: PASSWORD, current_password: NEW_PASSWORD })).status).toBe(401)
      expect((await api.signIn({ username: user.email, password: NEW_PASSWORD })).status).toBe(200)
    }
  })

  it('is no place to guess the current one', async () => {
    const user = await addUser(api.deps)
    const header = await bearer(api.deps, user)
    const guess = () =>
      api.post(`/admin/users/${user.id}/password`, { password: NEW_PASSWORD, current_password: 'wrong' }, header)
    for (let n = 0; n < 5; n += 1) expect((await guess()).status).toBe(422)
    expect((await guess()).status).toBe(429)
  })

  it('of another is for admins, who need not know it', async () => {
    const user = await addUser(api.deps)
    const set = async (by: UserRow) =>
      (await api.post(`/admin/users/${user.id}/password`, { password: NEW_PASSWORD }, await bearer(api.deps, by)))
        .status
    expect(await set(await addUser(api.deps, { roles: ['operator'] }))).toBe(403)
    expect(await set(await api.admin())).toBe(204)
    expect((await api.signIn({ username: user.email, password: NEW_PASSWORD })).status).toBe(200)
  })

  it('opens no door to a disabled user', async () => {
    const user = await addUser(api.deps, { status: 'disabled' })
    const header = await bearer(api.deps, await api.admin())
    expect((await api.post(`/admin/users/${user.id}/password`, { password: NEW_PASSWORD }, header)).status).toBe(204)
    expect((await api.signIn({ username: user.email, password: NEW_PASSWORD })).status).toBe(400)
  })
})

describe('GET /admin/users', () => {
  it('pages through every user of the account once, newest first', async () => {
    const account_id = 'acc_paging'
    const header = await bearer(api.deps, await addUser(api.deps, { account_id, roles: ['owner'], workspaces: ['*'] }))
    for (let n = 0; n < 4; n += 1) await addUser(api.deps, { account_id })
    const seen: string[] = []
    let path: string | undefined = '/admin/users?limit=2'
    while (path !== undefined) {
      const answer: Response = await api.get(path, header)
      expect(answer.headers.get('x-total-count')).toBe('5')
      seen.push(
        ...z
          .array(User)
          .parse(await answer.json())
          .map((user) => user.id),
      )
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual([...new Set(seen)].toSorted().reverse())
    expect(seen.length).toBe(5)
    expect(await codeOf(await api.get('/admin/users?cursor=x', header))).toEqual([400, 'invalid_cursor'])
  })
})
