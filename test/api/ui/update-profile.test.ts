import { expect, it } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openEnvironments } from '#test/support/open-environments.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('updateProfile')
itRefuses('updateProfile', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

const FILE = 'name: careful\nrequires_approval: [service.restart]\nlimits: { max_usd: 1 }\n'

const database = testDatabase()
const opened = fileFixture(
  () => openEnvironments(database.db, { 'profiles/careful.yaml': FILE }),
  (opened) => opened.environments.close(),
)
const api = testApi(database, () => ({ content: { environments: opened.environments } }))

it('says more over a file, field by field: what is absent stays gated', async () => {
  const put = (text: string, headers: Record<string, string> = {}) =>
    sendYaml(api, ['PUT', '/ui/api/profiles/careful'], text, headers)
  const etag = (await api.get('/ui/api/profiles/careful')).headers.get('etag') ?? ''
  const stricter = await put('name: careful\nlimits: { max_usd: 0.5 }\n', { 'if-match': etag })
  expect(await stricter.json()).toMatchObject({
    ...{ requires_approval: ['service.restart'], limits: { max_usd: 0.5 }, layers: ['file', 'console'], loosens: [] },
  })
  expect(opened.environments.profile('careful').requires_approval).toEqual(['service.restart'])
  expect(await codeOf(await put('name: careful\n', { 'if-match': etag }))).toEqual([412, 'version_conflict'])
  const laxer = await put('name: careful\nrequires_approval: []\n')
  expect(await laxer.json()).toMatchObject({ requires_approval: [], loosens: ['requires_approval', 'limits.max_usd'] })
  const records = await auditOf(api, 'console/profiles/careful')
  expect(records.map(({ action, data }) => [action, data['loosens']])).toEqual([
    ['profile.updated', []],
    ['profile.updated', ['requires_approval', 'limits.max_usd']],
  ])
})
