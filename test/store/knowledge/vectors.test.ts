import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { startModelServer } from '#cli/dev/model-server.ts'
import type { ModelRoles } from '#core/models/model.ts'
import type { Effect } from '#core/policy/types.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { indexCorpus } from '#services/knowledge/index-corpus.ts'
import { queryCorpus } from '#services/knowledge/search-corpora.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { type KnowledgeWorld, openKnowledgeWorld } from '#test/support/knowledge-world.ts'
import { policiesOnModels } from '#test/support/model-world.ts'
import { scriptedModels } from '#test/support/scripted-models.ts'

const DOCUMENTS = [
  { path: 'cache.md', text: 'Evict the cache of the sessions.\n' },
  { path: 'database.md', text: 'Restart the database when replication lags.\n' },
  { path: 'billing.md', text: 'Invoices are sent on the first of the month.\n' },
]
/** Spelt so that no word of it stands anywhere. */
const MISSPELT = 'databaze replicasion'

let world: KnowledgeWorld
let roles: ModelRoles
let effect: Effect | undefined

const server = fileFixture(() => startModelServer())
beforeAll(async () => {
  const bound = { ...scriptedModels(server.url) }
  Object.defineProperty(bound, 'roles', { get: () => roles })
  world = await openKnowledgeWorld(inject('postgres_url'), {
    models: bound,
    content: { policies: policiesOnModels(['development'], () => effect) },
  })
})
afterAll(() => world?.close())
beforeEach(() => {
  roles = { embed: { model: 'letters', fallback: 'echo' } }
  effect = undefined
})

async function filled() {
  const id = await world.corpus({ kind: 'inline' })
  return { id, indexed: await indexCorpus(world.ctx(), { id, documents: DOCUMENTS }) }
}
const ask = async (id: string, query = MISSPELT) => {
  const { hits, ...rest } = await queryCorpus(world.ctx(), { id, query, limit: 2 })
  return { paths: hits.map(({ path }) => path), ...rest }
}
const calls = () => world.database.db<{ model: string; state: string; basis: string; charged: number }[]>`
  select model, state, basis, charged_micro_usd as charged from model_calls order by created_at, id`

describe('where a model is bound to the role embed', () => {
  test('a question that leaves something out is answered by words alone, and its vector is not paid for', async () => {
    const { id } = await filled()
    const before = (await calls()).length
    expect(await ask(id, 'cache -database')).toEqual({ paths: ['cache.md'], used: ['text'] })
    expect(await ask(id, 'month -"sent on the first"')).toEqual({ paths: [], used: ['text'] })
    expect((await calls()).length).toBe(before)
    expect(await ask(id, 'payments-api')).toMatchObject({ used: ['text', 'vectors'] })
  })

  test('what no word finds is found by what it looks like, and each call is paid for and on record', async () => {
    const before = (await calls()).length
    const { id, indexed } = await filled()
    expect(indexed).toMatchObject({
      vectors: { model: 'letters', made: 3, left: 0 },
      corpus: { vectors: 3, chunks: 3 },
    })
    expect(await ask(id)).toMatchObject({ paths: ['database.md', expect.anything()], used: ['text', 'vectors'] })
    // 118 characters are 31 tokens, the question 5, at a hundred micro-dollars each
    expect((await calls()).slice(before)).toEqual([
      { model: 'letters', state: 'settled', basis: 'reported', charged: expect.any(Number) },
      { model: 'letters', state: 'settled', basis: 'reported', charged: 500 },
    ])
    const records = await world.database.db<{ data: Record<string, unknown> }[]>`
      select draft -> 'data' as data from audit_outbox where draft ->> 'action' = 'model.called' order by id desc limit 1`
    expect(records[0]?.data).toMatchObject({
      ...{ role: 'embed', model: 'letters', outcome: 'succeeded', usage: { input: 5, output: 0 } },
      ...{ request_digest: expect.stringMatching(/^sha256:/), response_digest: expect.stringMatching(/^sha256:/) },
    })
  })

  test('what has a vector is not paid for again, and a change makes one of the changed document alone', async () => {
    const { id } = await filled()
    const before = server.received()['letters'] ?? 0
    expect(await indexCorpus(world.ctx(), { id, documents: DOCUMENTS })).toMatchObject({
      vectors: { made: 0, left: 0 },
    })
    expect(server.received()['letters']).toBe(before)
    const changed = DOCUMENTS.map((each) => (each.path === 'cache.md' ? { ...each, text: 'Nothing.\n' } : each))
    expect(await indexCorpus(world.ctx(), { id, documents: changed })).toMatchObject({ vectors: { made: 1, left: 0 } })
  })

  test('another model makes others, and those of the first are not compared with them', async () => {
    const { id } = await filled()
    roles = { embed: { model: 'echo' } }
    expect(await ask(id)).toEqual({ paths: [], used: ['text', 'vectors'] })
    expect(await indexCorpus(world.ctx(), { id })).toMatchObject({ vectors: { model: 'echo', made: 3, left: 0 } })
    expect((await ask(id)).paths[0]).toBe('database.md')
  })

  test.each<[string, Effect | undefined, ModelRoles, string]>([
    ['policies deny it', 'deny', { embed: { model: 'letters' } }, 'so it was decided'],
    ['policies ask for a person', 'require_hitl', { embed: { model: 'letters' } }, 'a person would have to approve'],
    ['the provider refuses', undefined, { embed: { model: 'refuses', fallback: 'letters' } }, '400'],
    ['the provider is away', undefined, { embed: { model: 'busy', fallback: 'letters' } }, '429'],
  ])('words find it while %s, and the answer says why', async (_why, mode, bound, reason) => {
    effect = mode
    roles = bound
    const { id, indexed } = await filled()
    expect(indexed.corpus).toMatchObject({ state: 'ready', vectors: 0 })
    expect(indexed.vectors).toMatchObject({ made: 0, left: 3, refused: expect.stringContaining(reason) })
    expect(await ask(id, 'replication')).toMatchObject({
      ...{ paths: ['database.md'], used: ['text'], vectors_refused: expect.stringContaining(reason) },
    })
    effect = undefined
    roles = { embed: { model: 'letters' } }
    expect(await indexCorpus(world.ctx(), { id })).toMatchObject({ indexed: 0, vectors: { made: 3, left: 0 } })
  })

  test('who may not call models has words alone, and nothing is sent', async () => {
    const { id } = await filled()
    const before = server.received()['letters']
    for (const actor of [
      { ...LOCAL_ACTOR, roles: ['viewer'] },
      { ...LOCAL_ACTOR, key: { id: 'key_any', scopes: ['runs:read', 'admin'] } },
    ]) {
      const answer = await queryCorpus(world.ctx({ actor }), { id, query: 'cache', limit: 1 })
      expect(answer).toMatchObject({ used: ['text'], vectors_refused: expect.stringContaining('Calls of models take') })
    }
    expect(server.received()['letters']).toBe(before)
  })

  test('a batch that is larger than the cap of a run is not sent', async () => {
    const id = await world.corpus({ kind: 'inline' })
    const documents = Array.from({ length: 8 }, (_, n) => ({ path: `${n}.md`, text: `${`word${n} `.repeat(300)}\n` }))
    const before = server.received()['letters']
    const { vectors } = await indexCorpus(world.ctx(), { id, documents })
    expect(vectors).toMatchObject({ made: 0, refused: expect.stringMatching(/USD|cap/) })
    expect(server.received()['letters']).toBe(before)
  })
})

test('without a binding words find everything, and nothing is called', async () => {
  roles = { default: { model: 'echo' } }
  const before = (await calls()).length
  const { id, indexed } = await filled()
  expect(indexed.vectors).toEqual({ made: 0, left: 0 })
  expect(await ask(id, 'replication')).toEqual({ paths: ['database.md'], used: ['text'] })
  expect(await ask(id)).toEqual({ paths: [], used: ['text'] })
  expect((await calls()).length).toBe(before)
})
