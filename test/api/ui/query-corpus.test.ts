import { expect, it } from 'vitest'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'

itIsGuarded('queryCorpus')

const world = fileFixture(openKnowledgeWorld)

it('answers with the pieces of this corpus alone, and says that words found them', async () => {
  const [id, other] = [await world.corpus({ kind: 'inline' }), await world.corpus({ kind: 'inline' })]
  const text = '# Restart\n\nDrain the pool.\n'
  for (const each of [id, other])
    await world.api.post(`/ui/api/knowledge/${each}/index`, { documents: [{ path: 'a.md', text }] })
  const answer = await world.api.post(`/ui/api/knowledge/${id}/query`, { query: 'draining pools' })
  expect(await answer.json()).toEqual({
    hits: [
      {
        ...{
          corpus_id: id,
          corpus: expect.any(String),
          path: 'a.md',
          from_line: 1,
          to_line: 3,
          heading: 'Restart',
          text,
        },
        ...{ digest: expect.stringMatching(/^sha256:/), score: expect.any(Number) },
      },
    ],
    used: ['text'],
  })
})
