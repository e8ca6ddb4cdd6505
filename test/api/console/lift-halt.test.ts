import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type AuthApi, codeOf, createAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('liftHalt')

const HALTS = '/console/api/halts'
const OTHER = 'ws_0000000000000000000000000b'
const REASON = 'The database is being restored'

const database = testDatabase()
beforeAll(() => addWorkspace(database, OTHER, 'other'))
beforeEach(() => database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`)

describe('DELETE /console/api/halts/{id}', () => {
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
})
