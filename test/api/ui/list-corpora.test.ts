import { expect, it } from 'vitest'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'
import { ids } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'

itIsGuarded('listCorpora')

const world = fileFixture(openKnowledgeWorld)

it('lists the corpora of the workspace by name, with what is in them, and none of another', async () => {
  const other = ids.next('workspace')
  await addWorkspace(world.database, other, 'other')
  await world.corpus({ kind: 'inline' }, { workspace_id: other })
  const second = await world.corpus({ kind: 'inline' })
  const documents = [{ path: 'a.md', text: '# A\n\none\n# B\n\ntwo\n' }]
  await world.api.post(`/ui/api/knowledge/${second}/index`, { documents })
  await world.api.post('/ui/api/knowledge', { name: 'a-first', source: { kind: 'inline' } })
  const answer = await world.api.get('/ui/api/knowledge')
  expect(answer.headers.get('x-total-count')).toBe('2')
  expect(await answer.json()).toMatchObject([
    { name: 'a-first', state: 'registered' },
    { id: second, state: 'ready', documents: 1, chunks: 2, pending: 0, bytes: 18 },
  ])
  const theirs = await world.api.get('/ui/api/knowledge', { 'x-svc-workspace': other })
  expect(await theirs.json()).toHaveLength(1)
})
