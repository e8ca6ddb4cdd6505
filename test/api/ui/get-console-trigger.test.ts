import { expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('getConsoleTrigger')

it('is its text alone for who asks for YAML', async () => {
  const world = await sharedWorld()
  const name = await world.rule()
  const headers = { ...world.as('viewer'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const [record, text] = await Promise.all([
    world.api.get(`/ui/api/triggers/${name}`, headers),
    world.api.get(`/ui/api/triggers/${name}`, { ...headers, accept: 'text/yaml' }),
  ])
  const { document, etag } = (await record.json()) as { document: string; etag: string }
  expect(await text.text()).toBe(document)
  expect([record.headers.get('etag'), text.headers.get('etag')]).toEqual([etag, etag])
})
