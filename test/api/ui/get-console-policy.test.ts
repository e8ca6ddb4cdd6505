import { beforeAll, expect, it } from 'vitest'
import { SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { Policy } from '#core/policy/layer.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import { EVERYWHERE } from '#core/policy/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('getConsolePolicy')

const TEXT = 'name: guard   # as written\nrules: [{ effect: require_hitl }]\n'
const SHIPPED: Policy = {
  ...{ name: 'guard', layer: 'pack', source: 'sre/policies/guard.yaml', pack: 'sre' },
  ...{ scope: EVERYWHERE, rules: [{ effect: 'deny', reason: '', channels: [] }] },
}

const database = testDatabase()
const api = testApi(database, {
  content: {
    environments: {
      list: () =>
        SEEDED_ENVIRONMENTS.map((each) => ({ ...each, policies: each.name === 'production' ? ['guard'] : [] })),
    },
    policies: {
      layers: async () => ({ console: EMPTY_LAYER, overlay: EMPTY_LAYER, pack: { policies: [SHIPPED], broken: [] } }),
    },
  },
})
beforeAll(
  () => database.db`
    insert into console_policies (workspace_id, name, document, author)
    values ('ws_00000000000000000000000000', 'guard', ${TEXT}, 'usr_ann')`,
)

it('tells where it counts, and what it stands in the place of', async () => {
  const answer = await api.get('/ui/api/policies/guard')
  expect(await answer.json()).toMatchObject({
    ...{ document: TEXT, author: 'usr_ann', attached_in: ['production'], loosens: true, problems: [] },
    replaces: [{ layer: 'pack', source: 'sre/policies/guard.yaml' }],
  })
})

it('is its text alone for who asks for YAML', async () => {
  const answer = await api.get('/ui/api/policies/guard', { accept: 'text/yaml' })
  expect(answer.headers.get('content-type')).toBe('text/yaml; charset=utf-8')
  expect(await answer.text()).toBe(TEXT)
  expect(answer.headers.get('etag')).toBe((await api.get('/ui/api/policies/guard')).headers.get('etag'))
})
