import { beforeEach, describe, expect, it } from 'vitest'
import type { UserRow } from '#store/users.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, bearer, PASSWORD } from '#test/support/users.ts'

itIsGuarded('setPassword')

const NEW_PASSWORD = 'another long enough one'

const database = testDatabase()
const api = testAuthApi(database)
beforeEach(() => api.forget())

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

  it('is set once of two that replace the same one at the same time', async () => {
    const user = await addUser(api.deps)
    const header = await bearer(api.deps, user)
    const passwords = ['the first of two passwords', 'the second of two passwords']
    const answers = await Promise.all(
      passwords.map((password) =>
        api.post(`/admin/users/${user.id}/password`, { password, current_password: PASSWORD }, header),
      ),
    )
    const lost = answers.findIndex(({ status }) => status !== 204)
    expect(await codeOf(answers[lost] as Response)).toEqual([409, 'conflict'])
    const tried = await Promise.all(passwords.map((password) => api.signIn({ username: user.email, password })))
    expect(tried.map(({ status }) => status)).toEqual(lost === 0 ? [400, 200] : [200, 400])
    const set = (await api.audited(user)).filter(({ action }) => action === 'user.password_set')
    expect(set).toHaveLength(1)
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

  it('does not let a disabled user in', async () => {
    const user = await addUser(api.deps, { status: 'disabled' })
    const header = await bearer(api.deps, await api.admin())
    expect((await api.post(`/admin/users/${user.id}/password`, { password: NEW_PASSWORD }, header)).status).toBe(204)
    expect((await api.signIn({ username: user.email, password: NEW_PASSWORD })).status).toBe(400)
  })
})
