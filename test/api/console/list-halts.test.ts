import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type AuthApi, createAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { addUser, bearer } from '#test/support/users.ts'

itIsGuarded('listHalts')

const HALTS = '/console/api/halts'
const OTHER = 'ws_0000000000000000000000000b'
const REASON = 'The database is being restored'

const database = testDatabase()
beforeAll(() => addWorkspace(database, OTHER, 'other'))
beforeEach(() => database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`)

describe('GET /console/api/halts', () => {
  let api: AuthApi
  const as = async (roles: string[], workspaces: string[] = [DEFAULT_WORKSPACE_ID]) =>
    bearer(api.deps, await addUser(api.deps, { roles, workspaces }))
  const set = (headers: Record<string, string>, scope: object = {}) =>
    api.post(HALTS, { scope, reason: REASON }, headers)
  const idOf = async (answer: Response) => HaltRecord.parse(await answer.json()).id

  beforeAll(async () => {
    api = await createAuthApi(database)
  })
  afterAll(() => api?.close())

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
})
