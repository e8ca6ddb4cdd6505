import { beforeAll, expect, it } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('attachKnowledge')
itRefuses('attachKnowledge', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

const SAID = '# the night shift\nname: staging\ncost_gate: { max_usd: 0.5 } # cheap\n'

const database = testDatabase()
const opened = testEnvironments(database)
const api = testApi(database, () => ({ content: { environments: opened.environments } }))
beforeAll(async () => {
  for (const name of ['runbooks', 'billing']) await api.post('/ui/api/knowledge', { name, source: { kind: 'inline' } })
})

const attach = (name: string, knowledge: string[], headers: Record<string, string> = {}) =>
  api.app.request(`/ui/api/environments/${name}/knowledge`, {
    method: 'PUT',
    body: JSON.stringify({ knowledge }),
    headers: { 'content-type': 'application/json', ...headers },
  })
const corpus = async (name: string) => {
  const all = (await (await api.get('/ui/api/knowledge')).json()) as {
    id: string
    name: string
    attached_in: string[]
  }[]
  return all.find((each) => each.name === name)
}

it('attaches these corpora and no others, and keeps what else is said, with its comments', async () => {
  await sendYaml(api, ['PUT', '/ui/api/environments/staging'], SAID)
  const answer = await attach('staging', ['runbooks'])
  expect(await answer.json()).toMatchObject({ knowledge: ['runbooks'], cost_gate: { max_usd: 0.5 }, loosens: [] })
  const { document } = (await (await api.get('/ui/api/environments/staging')).json()) as { document: string }
  expect(document).toBe(`${SAID}knowledge: [ runbooks ]\n`)
  expect(opened.environments.get('staging')?.knowledge).toEqual(['runbooks'])
  expect([(await corpus('runbooks'))?.attached_in, (await corpus('billing'))?.attached_in]).toEqual([['staging'], []])
  const other = await attach('staging', ['billing'], { 'if-match': answer.headers.get('etag') ?? '' })
  expect(await other.json()).toMatchObject({ knowledge: ['billing'] })
  expect(await codeOf(await attach('staging', [], { 'if-match': answer.headers.get('etag') ?? '' }))).toEqual([
    ...[412, 'version_conflict'],
  ])
  expect((await auditOf(api, 'console/environments/staging')).map(({ action }) => action)).toHaveLength(3)
})

it('knows no corpus that there is not, and tells of one that has gone since', async () => {
  const wrong = await attach('production', ['runbook'])
  expect([wrong.status, await wrong.json()]).toMatchObject([
    ...[422, { detail: expect.stringContaining('there is no corpus runbook; did you mean runbooks?') }],
  ])
  expect(await codeOf(await attach('nowhere', ['runbooks']))).toEqual([404, 'not_found'])
  expect((await attach('production', ['runbooks'])).status).toBe(200)
  await api.app.request(`/ui/api/knowledge/${(await corpus('runbooks'))?.id}`, { method: 'DELETE' })
  expect(await (await api.get('/ui/api/environments/production')).json()).toMatchObject({
    problems: [{ message: expect.stringContaining('there is no corpus runbooks') }],
  })
})
