import { beforeAll, expect, test } from 'vitest'
import { MAX_CHUNKS_CHARS } from '#core/ask/limits.ts'
import { MAX_CHUNK_CHARS } from '#core/knowledge/chunk-text.ts'
import { createIds } from '#platform/ids.ts'
import { addChunks } from '#test/support/ask-documents.ts'
import { askWorld, calls, shownResults } from '#test/support/ask-world.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { addUser, bearer } from '#test/support/users.ts'

const COUNT = 8
/** as long as a chunk may be, and each different */
const CHUNKS = Array.from({ length: COUNT }, (_, n) => ({
  heading: `Drain ${n}`,
  text: `pool ${n} `.padEnd(MAX_CHUNK_CHARS - 4, 'x').concat(' end'),
}))

let who: Record<string, string>

const world = askWorld()
beforeAll(async () => {
  const workspace = createIds().next('workspace')
  await addWorkspace(world.database, workspace, 'passages')
  await addChunks(world.database, workspace, { name: 'long', chunks: CHUNKS })
  who = await bearer(world.api.deps, await addUser(world.api.deps, { roles: ['operator'], workspaces: [workspace] }))
})

const find = (query: string) => calls(['search_knowledge', { query, limit: COUNT }])
const shown = () => Object.entries(shownResults(world.asked.at(-1) ?? { model: '', messages: [] }))

test('the model is shown chunks whole, the best first, as many as there is room for, and last of the rest', async () => {
  await world.ask([find('drain'), { say: 'It is drained.[^t2]' }], { who })
  const texts = shown().map(([, { text }]) => text)
  // the text, and some 150 characters that say where it stands
  expect(texts.length).toBe(Math.floor(MAX_CHUNKS_CHARS / (MAX_CHUNK_CHARS + 150)))
  expect(texts).toEqual(CHUNKS.slice(0, texts.length).map(({ text }) => text))
  const last = String(world.asked.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content)
  expect(last).toContain(`There was no room for ${COUNT - texts.length} more`)
})

test('each chunk is cited by itself, and what cites it opens exactly it', async () => {
  const { body } = await world.ask(
    [find('drain'), calls(['list_halts']), { say: 'Drain it.[^t2] Nothing is halted.[^t6]' }],
    { who },
  )
  expect(shown().map(([id]) => id)).toEqual(['t1', 't2', 't3', 't4', 't5', 't6'])
  const citations = body['citations'] as { id: string; ref: string }[]
  expect(citations.map(({ id }) => id)).toEqual(['t2', 't6'])
  const opened = await world.api.get(citations[0]?.ref ?? '', who)
  expect(await opened.json()).toMatchObject({
    corpus: 'long',
    path: 'runbook.md',
    from_line: 2,
    to_line: 2,
    text: CHUNKS[1]?.text,
  })
})

test('what a turn shows of them has an end', async () => {
  const search: [string, object] = ['search_knowledge', { query: 'drain', limit: COUNT }]
  const { body } = await world.ask([calls(...Array.from({ length: 10 }, () => search)), { say: 'It is.[^t1]' }], {
    who,
  })
  const messages = world.asked.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? []
  expect(messages.map(({ content }) => String(content).includes('there is no room for more results'))).toEqual(
    Array.from({ length: 10 }, (_, call) => call >= 7),
  )
  expect(body['grounded']).toBe(true)
})
