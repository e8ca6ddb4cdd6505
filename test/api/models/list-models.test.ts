import { expect, test } from 'vitest'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listModels')

test('GET /v1/models names the roles that a model has, and the models', async () => {
  const world = await sharedWorld()
  const body = await (await world.api.get('/v1/models', world.as('viewer'))).json()
  expect(body).toMatchObject({
    object: 'list',
    data: expect.arrayContaining([
      { id: 'default', object: 'model', created: 0, owned_by: 'svc' },
      { id: 'echo', object: 'model', created: 0, owned_by: 'openai_compatible' },
    ]),
  })
  expect(JSON.stringify(body)).not.toContain('"small"')
})
