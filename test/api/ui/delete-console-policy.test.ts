import { expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteConsolePolicy')
itRefuses('deleteConsolePolicy', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_policies')],
])

const database = testDatabase()
const api = testApi(database)

it('takes the policy that was read, and says what may be laxer without it', async () => {
  const remove = (headers: Record<string, string> = {}) =>
    api.app.request('/ui/api/policies/guard', { method: 'DELETE', headers })
  await sendYaml(api, ['POST', '/ui/api/policies'], 'name: guard\nrules: [{ effect: deny }]\n')
  expect(await codeOf(await remove({ 'if-match': '"another"' }))).toEqual([412, 'version_conflict'])
  const gone = await remove()
  expect([gone.status, await gone.json()]).toEqual([200, { name: 'guard', attached_in: [], loosens: true }])
  expect((await api.get('/ui/api/policies/guard')).status).toBe(404)
  const [, last] = await auditOf(api, `console/${DEFAULT_WORKSPACE_ID}/guard`)
  expect(last).toMatchObject({ action: 'policy.deleted', data: { after: null, author: 'usr_local', loosens: true } })
})
