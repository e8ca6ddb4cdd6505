import { beforeAll, describe, expect, inject, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('createCorpus')
itRefuses('createCorpus', sharedWorld, [
  [422, 'validation_failed', likeItsExample({ body: { name: 'out', source: { kind: 'folder', path: '../..' } } })],
  [422, 'validation_failed', likeItsExample({ body: { name: 'out', source: { kind: 'folder', path: '/etc' } } })],
  [422, 'validation_failed', likeItsExample({ body: { name: 'out', source: { kind: 'pack', pack: 'absent' } } })],
  [422, 'validation_failed', likeItsExample({ body: { name: 'Out of', source: { kind: 'inline' } } })],
  [
    409,
    'conflict',
    async (world, route) => {
      await world.corpus('taken')
      return likeItsExample({ body: { name: 'taken', source: { kind: 'inline' } } })(world, route)
    },
  ],
])

const world = fileFixture(() => openKnowledgeWorld(inject('postgres_url'), { secret: SECRET }))
beforeAll(async () => {
  world.write({ 'runbooks/a.md': '# A\n' })
})

describe('a corpus that is registered', () => {
  it('is there with nothing in it, and on record', async () => {
    const owner = await bearer(world.api.deps, await addUser(world.api.deps, { roles: ['owner'], workspaces: ['*'] }))
    const draft = { name: 'runbooks', source: { kind: 'folder', path: 'runbooks' } }
    const answer = await world.api.post('/ui/api/knowledge', draft, owner)
    const corpus = (await answer.json()) as { id: string; etag: string }
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/ui/api/knowledge/${corpus.id}`])
    expect(corpus).toMatchObject({ ...draft, state: 'registered', documents: 0, chunks: 0, attached_in: [] })
    expect(answer.headers.get('etag')).toBe(corpus.etag)
    expect(await auditOf(world.api, corpus.id)).toMatchObject([{ action: 'knowledge.created', data: draft }])
  })

  it('of a folder of the machine takes somebody of all workspaces', async () => {
    const admin = await bearer(world.api.deps, await addUser(world.api.deps, { roles: ['admin'] }))
    const draft = (source: object) => ({ name: 'mine', source })
    const refused = await world.api.post('/ui/api/knowledge', draft({ kind: 'folder', path: 'runbooks' }), admin)
    expect(await codeOf(refused)).toEqual([403, 'forbidden'])
    expect((await world.api.post('/ui/api/knowledge', draft({ kind: 'inline' }), admin)).status).toBe(201)
  })
})
