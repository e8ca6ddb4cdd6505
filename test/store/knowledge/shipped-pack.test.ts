import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { indexCorpus } from '#services/knowledge/index-corpus.ts'
import { queryKnowledge } from '#services/knowledge/query-knowledge.ts'
import { type KnowledgeWorld, openKnowledgeWorld } from '#test/support/knowledge-world.ts'
import { onePack } from '#test/support/one-pack.ts'

const EMPTY = mkdtempSync(join(tmpdir(), 'svc-no-packs-'))
let world: KnowledgeWorld

beforeAll(async () => {
  const list = () =>
    onePack()
      .list()
      .map((pack) => ({ ...pack, name: 'db' }))
  world = await openKnowledgeWorld(inject('postgres_url'), {
    places: { SVC_KNOWLEDGE_DIR: EMPTY, SVC_PACKS_DIR: EMPTY },
    services: { packs: { ...onePack(), list } },
  })
  const { corpus, problems } = await indexCorpus(world.ctx(), { id: await world.corpus({ kind: 'pack', pack: 'db' }) })
  expect([corpus.state, problems]).toEqual(['ready', []])
})
afterAll(async () => {
  await world?.close()
  rmSync(EMPTY, { recursive: true, force: true })
})

test.each([
  ['why does VACUUM free no rows', 'What keeps VACUUM from freeing rows'],
  ['what blocks a vacuum from starting', 'What stops VACUUM from starting'],
  ['how do I read the report', 'How to read the report of db/maintenance-check'],
  ['a gate asks me to approve', 'What to do when a gate asks you'],
  ['wraparound', 'When the server is near wraparound'],
])('the runbook of the pack db answers: %s', async (query, heading) => {
  const [best] = await queryKnowledge(world.ctx(), { query })
  expect(best?.heading).toBe(`Maintenance of a PostgreSQL server > ${heading}`)
})
