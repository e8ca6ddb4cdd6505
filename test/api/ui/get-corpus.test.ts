import { expect, it } from 'vitest'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'

itIsGuarded('getCorpus')

const world = fileFixture(openKnowledgeWorld)

it('shows what could not be taken, with names that say what they are, and another etag once it is listed', async () => {
  world.write({ 'odd/fine.md': 'fine\n', 'odd/turn\u202edm.md': 'odd\n', 'odd/zero.md': Buffer.from('\0') })
  const id = await world.corpus({ kind: 'folder', path: 'odd' })
  const before = await world.api.get(`/ui/api/knowledge/${id}`)
  await world.api.post(`/ui/api/knowledge/${id}/index`, {})
  const answer = await world.api.get(`/ui/api/knowledge/${id}`)
  expect(answer.headers.get('etag')).not.toBe(before.headers.get('etag'))
  expect(await answer.json()).toMatchObject({
    ...{ id, state: 'ready', documents: 1, etag: answer.headers.get('etag') },
    problems: [
      { path: 'turn\\u{202e}dm.md', message: expect.stringContaining('name') },
      { path: 'zero.md', message: 'is not UTF-8 text' },
    ],
  })
})
