import { expect, it } from 'vitest'
import { createIds } from '#platform/ids.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'
import { addWorkspace } from '#test/support/tenants.ts'

itIsGuarded('getPassage')

const world = fileFixture(openKnowledgeWorld)

interface Hit {
  path: string
  digest: string
  from_line: number
}

async function indexed(id: string, ...lines: string[]): Promise<void> {
  const documents = [{ path: 'a b.md', text: `${lines.join('\n')}\n` }]
  await world.api.post(`/ui/api/knowledge/${id}/index`, { documents })
}

async function bestHit(id: string, query: string): Promise<Hit> {
  const answer = await world.api.post(`/ui/api/knowledge/${id}/query`, { query })
  const { hits } = (await answer.json()) as { hits: Hit[] }
  if (hits[0] === undefined) throw new Error('nothing was found')
  return hits[0]
}

function pathOf(id: string, { path, digest, from_line }: Hit): string {
  return `/ui/api/knowledge/${id}/passage?${new URLSearchParams({ path, digest, line: String(from_line) })}`
}

it('is what was found, with its file and lines, until its document says something else', async () => {
  const id = await world.corpus({ kind: 'inline' })
  await indexed(id, '# Pool', '', 'Drain it.', '# Other', '', 'Else.')
  const { score: _score, ...hit } = (await bestHit(id, 'drain')) as Hit & { score: number }
  const opened = await world.api.get(pathOf(id, hit))
  expect([opened.status, await opened.json()]).toEqual([200, hit])
  expect(hit).toMatchObject({ path: 'a b.md', from_line: 1, to_line: 3, text: '# Pool\n\nDrain it.\n' })
  await indexed(id, 'A line more.', '# Pool', '', 'Drain it.', '# Other', '', 'Else.')
  expect(await (await world.api.get(pathOf(id, hit))).json()).toEqual({ ...hit, from_line: 2, to_line: 4 })
  await indexed(id, '# Pool', '', 'Drain it twice.', '# Other', '', 'Else.')
  expect((await world.api.get(pathOf(id, hit))).status).toBe(404)
})

it('of two that say the same is the one that stands where it was cited', async () => {
  const id = await world.corpus({ kind: 'inline' })
  await indexed(id, '# Pool', '', 'Drain it.', '# Other', '', 'Else.', '# Pool', '', 'Drain it.')
  const hit = await bestHit(id, 'drain')
  const lineAt = async (from_line: number) => {
    const passage = await (await world.api.get(pathOf(id, { ...hit, from_line }))).json()
    return (passage as Hit).from_line
  }
  expect([await lineAt(1), await lineAt(7)]).toEqual([1, 7])
})

it('is not found through another corpus, nor by anybody of another workspace', async () => {
  const [id, other] = [await world.corpus({ kind: 'inline' }), await world.corpus({ kind: 'inline' })]
  await indexed(id, 'Drain it.')
  const hit = await bestHit(id, 'drain')
  const elsewhere = createIds().next('workspace')
  await addWorkspace(world.database, elsewhere, 'elsewhere')
  expect((await world.api.get(pathOf(other, hit))).status).toBe(404)
  expect((await world.api.get(pathOf(id, hit), { 'x-svc-workspace': elsewhere })).status).toBe(404)
  expect((await world.api.get(pathOf(id, hit))).status).toBe(200)
})
