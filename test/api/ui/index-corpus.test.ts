import { describe, expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

type Refusal = [422, 'validation_failed', ReturnType<typeof likeItsExample>]

const documents = (...paths: string[]) => ({ documents: paths.map((path) => ({ path, text: 'x' })) })

itIsGuarded('indexCorpus')
itRefuses('indexCorpus', sharedWorld, [
  [409, 'conflict', overtakenIn('knowledge_corpora')],
  ...['../up.md', '/etc/passwd', 'a/../../b.md', '.hidden.md', 'a//b.md', 'a\\..\\b.md', 'turn\u202e.md', ''].map(
    (path): Refusal => [422, 'validation_failed', likeItsExample({ body: documents(path) })],
  ),
  [422, 'validation_failed', likeItsExample({ body: documents('same.md', 'same.md') })],
  [400, 'malformed_body', likeItsExample({ body: { documents: [{ path: 'a.md', text: 'zero\0' }] } })],
  [422, 'validation_failed', likeItsExample({ body: { documents: [{ path: 'a.md', text: 'x'.repeat(1_048_577) }] } })],
  [422, 'validation_failed', likeItsExample({ body: documents(...Array.from({ length: 201 }, (_, n) => `${n}.md`)) })],
])

const world = fileFixture(openKnowledgeWorld)

describe('a corpus of files', () => {
  it('is indexed from them, and takes none by hand', async () => {
    world.write({ 'runbooks/deep/a.md': '# A\n', 'runbooks/b.txt': 'b\n' })
    const id = await world.corpus({ kind: 'folder', path: 'runbooks' })
    const answer = await world.api.post(`/ui/api/knowledge/${id}/index`, {})
    expect(await answer.json()).toMatchObject({
      ...{ added: 2, changed: 0, unchanged: 0, removed: 0, indexed: 2, problems: [], vectors: { made: 0, left: 0 } },
      corpus: { id, state: 'ready', documents: 2, chunks: 2 },
    })
    const refused = await world.api.post(`/ui/api/knowledge/${id}/index`, documents('c.md'))
    expect(await codeOf(refused)).toEqual([422, 'validation_failed'])
  })
})
