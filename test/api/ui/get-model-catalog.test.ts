import { expect, test } from 'vitest'
import { ModelsFile } from '#core/models/models-schema.ts'
import { MODEL_CATALOG } from '#platform/models/model-catalog.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('getModelCatalog')

test('the catalogue says when its prices were read, that they must be checked, and how a model is added', async () => {
  const { api, as } = await sharedWorld()
  const answer = await (await api.get('/ui/api/model-catalog', as('viewer'))).json()
  expect(answer).toMatchObject({
    read_at: MODEL_CATALOG.read_at,
    note: expect.stringContaining('check them'),
    models: expect.arrayContaining([
      {
        ...{ id: 'gpt-4o-mini', provider: 'openai', tiered: false, bound: false },
        prices: { input_usd: 0.15, output_usd: 0.6, cached_input_usd: 0.075 },
        limits: { context: 128_000, output: 16_384 },
        command: 'svc models add gpt-4o-mini --provider openai --key env:OPENAI_API_KEY',
      },
    ]),
  })
})

test('everything in it is a model that models.yaml takes', () => {
  const models = MODEL_CATALOG.models.map(({ tiered: _tiered, ...model }) => ({ ...model, key: 'env:KEY' }))
  expect(ModelsFile.safeParse({ models }).error?.issues).toBeUndefined()
  expect(models.length).toBeGreaterThan(20)
})
