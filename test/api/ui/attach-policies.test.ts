import { beforeAll, expect, it } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('attachPolicies')
itRefuses('attachPolicies', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

const SAID = '# the night shift\nname: staging\ncost_gate: { max_usd: 0.5 } # cheap\n'

const database = testDatabase()
const opened = testEnvironments(database)
const api = testApi(database, () => ({ content: { environments: opened.environments } }))
beforeAll(async () => {
  await sendYaml(api, ['POST', '/ui/api/policies'], 'name: guard\nrules: [{ effect: deny }]\n')
  await sendYaml(api, ['POST', '/ui/api/policies'], 'name: open\nrules: [{ effect: allow_auto }]\n')
})

const attach = (name: string, policies: string[], headers: Record<string, string> = {}) =>
  api.app.request(`/ui/api/environments/${name}/policies`, {
    method: 'PUT',
    body: JSON.stringify({ policies }),
    headers: { 'content-type': 'application/json', ...headers },
  })

it('attaches these policies and no others, and keeps what else is said, with its comments', async () => {
  await sendYaml(api, ['PUT', '/ui/api/environments/staging'], SAID)
  const answer = await attach('staging', ['guard'])
  expect(await answer.json()).toMatchObject({ policies: ['guard'], cost_gate: { max_usd: 0.5 }, loosens: [] })
  const { document } = (await (await api.get('/ui/api/environments/staging')).json()) as { document: string }
  expect(document).toBe(`${SAID}policies: [ guard ]\n`)
  expect(opened.environments.get('staging')?.policies).toEqual(['guard'])
  expect(await (await api.get('/ui/api/policies/guard')).json()).toMatchObject({ attached_in: ['staging'] })
  const detached = await attach('staging', [], { 'if-match': answer.headers.get('etag') ?? '' })
  expect(await detached.json()).toMatchObject({ policies: [], loosens: ['policies'] })
  const late = await attach('staging', ['guard'], { 'if-match': answer.headers.get('etag') ?? '' })
  expect(await codeOf(late)).toEqual([412, 'version_conflict'])
  const records = await auditOf(api, 'console/environments/staging')
  expect(records.map(({ data }) => data['loosens'])).toEqual([expect.anything(), [], ['policies']])
})

it('says over what ships what it attaches, flags what lets through, and knows no policy that there is not', async () => {
  const answer = await attach('production', ['open'])
  expect(await answer.json()).toMatchObject({
    layers: ['seeded', 'console'],
    policies: ['open'],
    loosens: ['policies'],
  })
  const wrong = await attach('production', ['gaurd'])
  expect([wrong.status, await wrong.json()]).toMatchObject([
    422,
    { detail: expect.stringContaining('did you mean guard?') },
  ])
  expect(await codeOf(await attach('nowhere', ['guard']))).toEqual([404, 'not_found'])
})
