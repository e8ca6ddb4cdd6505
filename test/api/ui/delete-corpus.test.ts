import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteCorpus')
itRefuses('deleteCorpus', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('knowledge_corpora')],
])

const world = fileFixture(openKnowledgeWorld)

it('deletes everything that was indexed, and says so in the audit log', async () => {
  const [id, other] = [await world.corpus({ kind: 'inline' }), await world.corpus({ kind: 'inline' })]
  for (const each of [id, other])
    await world.api.post(`/ui/api/knowledge/${each}/index`, { documents: [{ path: 'a.md', text: 'drain\n' }] })
  const answer = await world.api.app.request(`/ui/api/knowledge/${id}`, { method: 'DELETE' })
  expect(answer.status).toBe(204)
  const left = await world.database.db`select corpus_id from knowledge_chunks`
  expect(left).toEqual([{ corpus_id: other }])
  expect(await codeOf(await world.api.post(`/ui/api/knowledge/${id}/query`, { query: 'drain' }))).toEqual([
    ...[404, 'not_found'],
  ])
  expect((await auditOf(world.api, id)).at(-1)).toMatchObject({
    ...{ action: 'knowledge.deleted', data: { documents: 1, chunks: 1 } },
  })
})
