import type { ChildProcess } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import { createDb, type Db } from '#store/db.ts'
import { killHard } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const FILES = 300
/** where the process is killed, in the order of the paths */
const MIDDLE = 150
const SECTIONS = ['Restart', 'Drain', 'Fail over']

const pathOf = (n: number) => `p${String(n).padStart(3, '0')}.md`
const paths = Array.from({ length: FILES }, (_, n) => pathOf(n))
const section = (n: number, title: string, edition: string) => `# ${title}\n\nOn page${n} of the ${edition} edition.\n`
const page = (n: number, edition: string) => SECTIONS.map((title) => section(n, title, edition)).join('')

let service: TestService
let owner: Db
let api: ChildProcess
let corpus: string

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    api: false,
  })
  owner = createDb(service.database.owner_url, { max: 2 })
  api = await service.startApi()
  await mkdir(join(service.home, 'knowledge/pages'), { recursive: true })
  await writeEdition('first')
  const source = { kind: 'folder', path: 'pages' }
  corpus = (await service.call<{ id: string }>('POST', '/ui/api/knowledge', { name: 'pages', source })).body.id
})
afterAll(async () => {
  await owner?.end()
  await service?.stop()
})

async function writeEdition(edition: string): Promise<void> {
  await Promise.all(paths.map((path, n) => writeFile(join(service.home, 'knowledge/pages', path), page(n, edition))))
}

const indexNow = () =>
  service.call<{ indexed: number; problems: object[]; corpus: { state: string; pending: number } }>(
    ...(['POST', `/ui/api/knowledge/${corpus}/index`, {}] as const),
  )

const pending = async () =>
  (
    await owner<{ path: string }[]>`
    select path from knowledge_documents where corpus_id = ${corpus} and state = 'pending' order by path collate "C"`
  ).map(({ path }) => path)

/** The chunks that there are, document by document. */
async function held(): Promise<Record<string, string[]>> {
  const rows = await owner<{ path: string; texts: string[] }[]>`
    select path, array_agg(text order by ordinal) as texts from knowledge_chunks
    where corpus_id = ${corpus} group by path order by path collate "C"`
  return Object.fromEntries(rows.map(({ path, texts }) => [path, texts]))
}

const chunks = (n: number, edition: string) => SECTIONS.map((title) => section(n, title, edition))
const all = (edition: (n: number) => string, below = FILES) =>
  Object.fromEntries(paths.slice(0, below).map((path, n) => [path, chunks(n, edition(n))]))

/** The texts that are found for a page. */
async function found(n: number): Promise<string[]> {
  const path = `/ui/api/knowledge/${corpus}/query`
  const { body } = await service.call<{ hits: { text: string }[] }>('POST', path, { query: `page${n}` })
  return body.hits.map(({ text }) => text).sort()
}

/** Kills the API while it puts the middle document in its place, and starts it again. */
async function killInTheMiddle(): Promise<void> {
  const cut = indexNow().catch(() => 'cut off')
  await owner.begin(async (sql) => {
    // the transaction of this document waits here, and what comes before it is done
    const isHeld = await poll(async () => {
      const locked = await sql`
        select from knowledge_documents
        where corpus_id = ${corpus} and path = ${pathOf(MIDDLE)} and state = 'pending' for update`
      return locked.length > 0
    }, PATIENCE.timeout)
    const isThere = await poll(async () => (await pending())[0] === pathOf(MIDDLE), PATIENCE.timeout)
    await killHard(api)
    expect([isHeld, isThere]).toEqual([true, true])
  })
  expect(await cut).toBe('cut off')
  api = await service.startApi()
}

/** What the killed one has left is indexed, and nothing else. */
async function finish(): Promise<void> {
  const { body } = await indexNow()
  expect(body).toMatchObject({ indexed: FILES - MIDDLE, problems: [], corpus: { state: 'ready', pending: 0 } })
}

test('a process that is killed while it indexes has kept what it had done, and the next one does the rest, once', async () => {
  await killInTheMiddle()
  expect(await pending()).toEqual(paths.slice(MIDDLE))
  expect(await held()).toEqual(all(() => 'first', MIDDLE))
  const { body } = await service.call('GET', `/ui/api/knowledge/${corpus}`)
  expect(body).toMatchObject({ state: 'indexing', documents: FILES, pending: FILES - MIDDLE })
  expect([await found(MIDDLE - 1), await found(MIDDLE)]).toEqual([chunks(MIDDLE - 1, 'first').sort(), []])
  await finish()
  expect(await held()).toEqual(all(() => 'first'))
})

test('and while it replaces them, each document is found as it was or as it is, whole, and never as both', async () => {
  await writeEdition('second')
  await killInTheMiddle()
  expect(await held()).toEqual(all((n) => (n < MIDDLE ? 'second' : 'first')))
  const { body } = await service.call('GET', `/ui/api/knowledge/${corpus}`)
  expect(body).toMatchObject({ state: 'indexing', documents: FILES, pending: FILES - MIDDLE })
  for (const n of [0, MIDDLE - 1]) expect(await found(n)).toEqual(chunks(n, 'second').sort())
  for (const n of [MIDDLE, FILES - 1]) expect(await found(n)).toEqual(chunks(n, 'first').sort())
  await finish()
  expect(await held()).toEqual(all(() => 'second'))
})
