import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { InvitedUser } from '#core/user/schema.ts'
import type { UserRow } from '#store/users.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer, PASSWORD } from '#test/support/users.ts'

itIsGuarded('inviteUser')

const NEW_PASSWORD = 'another long enough one'

const database = testDatabase()
const api = testAuthApi(database)
beforeEach(() => api.forget())

describe('an invitation', () => {
  const invite = async (by: UserRow, body: object) => api.post('/admin/users', body, await bearer(api.deps, by))
  const invited = async (by: UserRow, more: object = {}) => {
    const email = `${randomBytes(6).toString('hex')}@Example.test`
    const answer = await invite(by, { email, roles: ['viewer'], workspaces: [DEFAULT_WORKSPACE_ID], ...more })
    expect(answer.status).toBe(201)
    return InvitedUser.parse(await answer.json())
  }
  const join = (id: string, body: object) => api.post(`/admin/users/${id}/password`, body)

  it('lets somebody in who sets the first password with its token, once', async () => {
    const user = await invited(await api.admin(), { display_name: 'Ada' })
    expect(user).toMatchObject({
      status: 'invited',
      email: expect.stringMatching(/@example\.test$/),
      account_id: 'acc_local',
    })
    const { invite_token } = user
    expect((await api.signIn({ username: user.email ?? '', password: NEW_PASSWORD })).status).toBe(400)
    expect((await join(user.id, { invite_token, password: NEW_PASSWORD })).status).toBe(204)
    expect((await api.signIn({ username: user.email ?? '', password: NEW_PASSWORD })).status).toBe(200)
    expect((await join(user.id, { invite_token, password: PASSWORD })).status).toBe(401)
    expect((await api.audited(user)).map((record) => record.action)).toEqual([
      'user.invited',
      'token.refused',
      'user.joined',
      'token.issued',
    ])
  })

  it('is good for its own user and for seven days, and for nothing else', async () => {
    const [one, two] = [await invited(await api.admin()), await invited(await api.admin())]
    const { invite_token } = one
    expect((await join(two.id, { invite_token, password: NEW_PASSWORD })).status).toBe(401)
    expect((await join(one.id, { invite_token: 'x', password: NEW_PASSWORD })).status).toBe(401)
    expect((await join(one.id, { password: NEW_PASSWORD })).status).toBe(401)
    expect((await join('usr_x', { invite_token, password: NEW_PASSWORD })).status).toBe(401)
    expect((await api.get('/auth/me', { authorization: `Bearer ${invite_token}` })).status).toBe(401)
    api.wait(7 * 24 * 3_600_000)
    expect((await join(one.id, { invite_token, password: NEW_PASSWORD })).status).toBe(401)
  })

  it('is spent by one of many who hold it', async () => {
    const { id, invite_token } = await invited(await api.admin())
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => join(id, { invite_token, password: `${NEW_PASSWORD} ${n}` })),
    )
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([204, 401, 401, 401, 401])
  })

  it('made again ends the one before', async () => {
    const by = await api.admin()
    const first = await invited(by, { display_name: 'Ann' })
    const second = await invited(by, { email: first.email, roles: ['operator'] })
    expect(second).toMatchObject({ id: first.id, roles: ['operator'], display_name: 'Ann' })
    expect((await join(first.id, { invite_token: first.invite_token, password: NEW_PASSWORD })).status).toBe(401)
    expect((await join(first.id, { invite_token: second.invite_token, password: NEW_PASSWORD })).status).toBe(204)
    const third = await invite(by, { email: first.email, roles: ['viewer'], workspaces: [DEFAULT_WORKSPACE_ID] })
    expect(await codeOf(third)).toEqual([409, 'conflict'])
  })

  it('keeps its token nowhere', async () => {
    const { invite_token } = await invited(await api.admin())
    const rows = await database.db`select u::text as text from users u union all select draft::text from audit_outbox`
    expect(JSON.stringify([rows, api.lines])).not.toContain(invite_token)
  })

  it('wants a workspace that exists, and `*` only for owners and admins', async () => {
    const by = await api.admin()
    const email = 'x@example.test'
    for (const body of [
      { email, roles: ['viewer'] },
      { email, roles: ['viewer'], workspaces: ['*'] },
      { email, roles: ['viewer'], workspaces: [] },
      { email, roles: ['viewer'], workspaces: ['ws_00000000000000000000000001'] },
      { email, roles: ['admin'], workspaces: ['*', DEFAULT_WORKSPACE_ID] },
      { email, roles: [] },
      { email, roles: ['king'] },
      { email: 'no address', roles: ['admin'] },
      { email, roles: ['admin'], account_id: 'acc_other' },
    ]) {
      expect(await codeOf(await invite(by, body))).toEqual([422, 'validation_failed'])
    }
    expect(await invited(by, { roles: ['admin'], workspaces: undefined })).toMatchObject({ workspaces: ['*'] })
  })

  it('is for owners and admins to make', async () => {
    for (const role of ['viewer', 'approver', 'operator', 'service']) {
      const by = await addUser(api.deps, { roles: [role] })
      expect((await invite(by, { email: 'y@example.test', roles: ['admin'] })).status).toBe(403)
      expect((await api.get('/admin/users', await bearer(api.deps, by))).status).toBe(403)
    }
    expect((await api.post('/admin/users', { email: 'y@example.test', roles: ['admin'] })).status).toBe(401)
  })
})
