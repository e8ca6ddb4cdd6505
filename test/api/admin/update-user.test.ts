import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { InvitedUser, User } from '#core/user/schema.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('updateUser')

const NEW_PASSWORD = 'another long enough one'

const database = testDatabase()
const api = testAuthApi(database)
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
  it('ends the sessions of anyone who gets other roles or another status, and of nobody else', async () => {
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

  it('overwrites nobody who was faster', async () => {
    const header = await bearer(api.deps, await api.admin())
    const { id } = await addUser(api.deps, { roles: ['operator'] })
    const path = `/admin/users/${id}`
    const first = await api.patch(path, { display_name: 'Cid' }, header)
    const { etag } = User.parse(await first.json())
    expect(first.headers.get('etag')).toBe(etag)
    expect((await api.patch(path, { roles: ['viewer'] }, header)).status).toBe(200)
    const late = await api.patch(path, { roles: ['operator', 'approver'] }, { ...header, 'if-match': `${etag}` })
    expect(await codeOf(late)).toEqual([412, 'version_conflict'])
    expect((await api.deps.identity.users.find(id))?.roles).toEqual(['viewer'])
  })

  it('leaves no operator everywhere', async () => {
    const header = await bearer(api.deps, await api.owner())
    const { id } = await api.admin()
    expect((await api.patch(`/admin/users/${id}`, { roles: ['operator'] }, header)).status).toBe(422)
    const change = { roles: ['operator'], workspaces: [DEFAULT_WORKSPACE_ID] }
    expect((await api.patch(`/admin/users/${id}`, change, header)).status).toBe(200)
  })
})
