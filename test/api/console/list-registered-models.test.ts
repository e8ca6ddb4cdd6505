import { expect, it } from 'vitest'
import type { Model } from '#core/models/model.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('listRegisteredModels')

const PRICED = { prices: { input: 150_000, output: 600_000 }, limits: { context: 128_000, output: 4_096 } }
const model = (id: string, rest: Partial<Model>): Model => ({
  ...{ id, model: id, provider: 'openai', timeout_ms: 1_000, structured_outputs: true },
  ...rest,
})
const MODELS = [
  model('ready', { ...PRICED, key: 'env:SET', model: 'gpt-4o-mini' }),
  model('keyless', { ...PRICED, key: 'env:NOT_SET' }),
  model('without-key', PRICED),
  model('unpriced', { key: 'env:SET' }),
  model('nowhere', { ...PRICED, provider: 'openai_compatible' }),
  model('hidden', {
    ...PRICED,
    provider: 'openai_compatible',
    base_url: 'http://ann:hunter2@127.0.0.1:1/v1?token=hunter3',
  }),
]

const database = testDatabase()
const api = testApi(database, {
  models: { models: MODELS, roles: { default: { model: 'ready', fallback: 'hidden' }, small: { model: 'ready' } } },
  env: { SET: 'sk-canary' },
})

it('says of every model where it is, what it costs, which roles it has and why it is never called', async () => {
  const answer = await api.get('/console/api/models')
  const text = await answer.text()
  const found: Record<string, unknown>[] = JSON.parse(text)
  expect(found.map(({ id }) => id)).toEqual(MODELS.map(({ id }) => id))
  const [ready, keyless, withoutKey, unpriced, nowhere, hidden] = found
  expect(ready).toEqual({
    ...{ id: 'ready', provider: 'openai', provider_model: 'gpt-4o-mini', timeout_ms: 1_000 },
    key: { reference: 'env:SET', resolves: true },
    prices: { input_usd: 0.15, output_usd: 0.6 },
    limits: { context: 128_000, output: 4_096 },
    callable: true,
    roles: [
      { role: 'default', as: 'model' },
      { role: 'small', as: 'model' },
    ],
  })
  expect(keyless).toMatchObject({
    key: { reference: 'env:NOT_SET', resolves: false },
    callable: false,
    why_not: 'the secret env:NOT_SET is not set',
  })
  expect(withoutKey).toMatchObject({ callable: false, why_not: expect.stringContaining('has no key') })
  expect(unpriced).toMatchObject({ callable: false, why_not: expect.stringContaining('no prices and no limits') })
  expect(nowhere).toMatchObject({ callable: false, why_not: expect.stringContaining('SVC_MODEL_BASE_URL is not set') })
  expect(hidden).toMatchObject({
    base_url: 'http://127.0.0.1:1/v1',
    callable: true,
    roles: [{ role: 'default', as: 'fallback' }],
  })
  expect(text).not.toMatch(/sk-canary|hunter|ann/)
})

it('names the last probe of this workspace alone', async () => {
  const probe = (workspace: string, name: string) => database.db`
    insert into model_probes (workspace_id, model, ok, latency_ms, probed_by)
    values (${workspace}, ${name}, true, 12, 'usr_local')`
  const other = `ws_${'7'.repeat(26)}`
  await database.db`insert into workspaces (id, slug, name) values (${other}, 'other', 'Other')`
  await probe('ws_00000000000000000000000000', 'ready')
  await probe(other, 'hidden')
  const found = (await (await api.get('/console/api/models')).json()) as { id: string; last_probe?: object }[]
  expect(found.filter(({ last_probe }) => last_probe !== undefined)).toMatchObject([
    { id: 'ready', last_probe: { ok: true, latency_ms: 12, by: 'usr_local' } },
  ])
})
