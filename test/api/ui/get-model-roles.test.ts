import { expect, test } from 'vitest'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('getModelRoles')

test('GET /ui/api/model-roles says which models the roles are, and where that is said', async () => {
  const { api, as } = await sharedWorld()
  const answer = await api.get('/ui/api/model-roles', as('viewer'))
  const body = await answer.json()
  expect(body).toMatchObject({ roles: { default: { model: 'echo', layer: 'file' } }, etag: answer.headers.get('etag') })
  expect(JSON.stringify(body)).not.toContain('"default":{"model":"echo","layer":"console"')
})
