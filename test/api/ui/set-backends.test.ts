import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { bucketApi } from '#test/support/bucket-api.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('setBackends')
itRefuses('setBackends', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

const { opened, api } = bucketApi({
  'environments/kept.yaml': 'name: kept\nbackends: { object_store: s3, object_connection: artifacts }\n',
})

const set = (name: string, backends: object, headers: Record<string, string> = {}) =>
  api.app.request(`/ui/api/environments/${name}/backends`, {
    ...{ method: 'PUT', body: JSON.stringify(backends) },
    headers: { 'content-type': 'application/json', ...headers },
  })
const S3 = { object_store: 's3', object_connection: 'artifacts' }

it('says where artifacts are kept from now on, and keeps what else is said', async () => {
  const said = '# the night shift\nname: staging\ncost_gate: { max_usd: 0.5 } # cheap\n'
  await sendYaml(api, ['PUT', '/ui/api/environments/staging'], said)
  const before = (await (await api.get('/ui/api/environments/staging')).json()) as object
  expect(before).toMatchObject({ backends: { object_store: 'fs' } })
  const answer = await set('staging', S3)
  expect(await answer.json()).toMatchObject({ backends: S3, cost_gate: { max_usd: 0.5 }, loosens: ['backends'] })
  expect(opened.environments.get('staging')?.backends).toEqual(S3)
  const { document } = (await (await api.get('/ui/api/environments/staging')).json()) as { document: string }
  expect(document.startsWith(said)).toBe(true)
  const back = await set('staging', { object_store: 'fs' }, { 'if-match': answer.headers.get('etag') ?? '' })
  expect(await back.json()).toMatchObject({ backends: { object_store: 'fs' }, loosens: [] })
  expect(await codeOf(await set('staging', S3, { 'if-match': answer.headers.get('etag') ?? '' }))).toEqual([
    412,
    'version_conflict',
  ])
  expect((await auditOf(api, 'console/environments/staging')).map(({ data }) => data['loosens'])).toEqual([
    expect.anything(),
    ['backends'],
    [],
  ])
})

it('says over its file, and is what the file says without the console', async () => {
  expect(opened.environments.get('kept')?.backends).toEqual(S3)
  await set('kept', { object_store: 'fs' })
  expect(opened.environments.get('kept')?.backends).toEqual({ object_store: 'fs' })
})

it.each<[string, object]>([
  ['no connection with a bucket', { object_store: 's3' }],
  ['a connection without a bucket', { object_store: 'fs', object_connection: 'artifacts' }],
  ['a connection that is not there', { object_store: 's3', object_connection: 'artefacts' }],
  ['another store', { object_store: 'gcs' }],
  ['a setting that there is not', { ...S3, bucket: 'kept' }],
])('refuses %s', async (_what, backends) => {
  expect(await codeOf(await set('production', backends))).toEqual([422, 'validation_failed'])
})

it('refuses a connection of another kind, and the deletion of the one that is used', async () => {
  const http = { name: 'billing', kind: 'http', auth: 'none', config: { base_url: 'https://a.example.com/' } }
  await api.post('/ui/api/connections', http)
  const wrong = await set('production', { object_store: 's3', object_connection: 'billing' })
  expect([wrong.status, await wrong.json()]).toMatchObject([422, { detail: expect.stringContaining('kind http') }])
  expect((await set('production', S3)).status).toBe(200)
  const list = (await (await api.get('/ui/api/connections')).json()) as {
    id: string
    name: string
    bound_by: object[]
  }[]
  const used = list.find(({ name }) => name === 'artifacts')
  expect(used?.bound_by).toContainEqual({ environment: 'production', name: 'backends.object_store' })
  const kept = await api.app.request(`/ui/api/connections/${used?.id}`, { method: 'DELETE' })
  expect(await codeOf(kept)).toEqual([409, 'conflict'])
})
