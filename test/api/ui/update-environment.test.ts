import { expect, it } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openEnvironments } from '#test/support/open-environments.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('updateEnvironment')
itRefuses('updateEnvironment', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

const LIVE =
  'name: live\napproval: { min_approvals: 2, prevent_self: true }\nconnections: { db: { kind: postgres, url: env:DB } }\n'

const database = testDatabase()
const opened = fileFixture(
  () => openEnvironments(database.db, { 'environments/live.yaml': LIVE }),
  (opened) => opened.environments.close(),
)
const api = testApi(database, () => ({ content: { environments: opened.environments } }))

const put = (text: string, headers: Record<string, string> = {}, name = 'live') =>
  sendYaml(api, ['PUT', `/ui/api/environments/${name}`], text, headers)

it('says more over a file, field by field, and names what may be laxer', async () => {
  const before = await api.get('/ui/api/environments/live')
  const etag = before.headers.get('etag') ?? ''
  const stricter = await put('name: live\napproval: { min_approvals: 3 }\n', { 'if-match': etag })
  expect(await stricter.json()).toMatchObject({
    ...{ approval: { min_approvals: 3, prevent_self: true }, layers: ['file', 'console'], loosens: [] },
    connections: [{ id: 'db', kind: 'postgres' }],
  })
  expect(opened.environments.get('live')?.connections).toEqual({ db: { kind: 'postgres', url: 'env:DB' } })
  expect(await codeOf(await put('name: live\n', { 'if-match': etag }))).toEqual([412, 'version_conflict'])
  const laxer = await put('name: live\napproval: { min_approvals: 1, prevent_self: false }\n')
  expect(await laxer.json()).toMatchObject({ loosens: ['approval.prevent_self', 'approval.min_approvals'] })
  const records = await auditOf(api, 'console/environments/live')
  expect(records.map(({ action, data }) => [action, data['loosens']])).toEqual([
    ['environment.updated', []],
    ['environment.updated', ['approval.prevent_self', 'approval.min_approvals']],
  ])
  expect(records[1]?.data['before']).toBe(records[0]?.data['after'])
})

it('changes what ships as well, and nothing that there is not', async () => {
  const answer = await put('name: production\ncost_gate: { max_usd: 1 }\n', {}, 'production')
  expect(await answer.json()).toMatchObject({ class: 'production', cost_gate: { max_usd: 1 }, loosens: [] })
  expect(opened.environments.get('production')?.cost_gate).toEqual({ max_usd: 1 })
  expect(await codeOf(await put('name: nowhere\n', {}, 'nowhere'))).toEqual([404, 'not_found'])
  expect(await codeOf(await put('name: staging\n'))).toEqual([422, 'validation_failed'])
})

it('shuts what was stored and cannot be read', async () => {
  await database.db`
    insert into console_documents (kind, workspace_id, name, document, author)
    values ('environment', '*', 'sandbox', 'name: sandbox\nfuture: yes', 'usr_ann')`
  await opened.environments.reloadConsole()
  expect(opened.environments.get('sandbox')).toBeUndefined()
  await put('name: sandbox\n', {}, 'sandbox')
  expect(opened.environments.get('sandbox')).toBeDefined()
})
