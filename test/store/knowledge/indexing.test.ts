import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { indexCorpus } from '#services/knowledge/index-corpus.ts'
import type { KnowledgeContext } from '#services/knowledge/knowledge-ports.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { openKnowledgeWorld } from '#test/support/knowledge-world.ts'

const world = fileFixture(openKnowledgeWorld)

const page = (n: number, more = '') => `# Page ${n}\n\nWhat stands on page ${n}.${more}\n`
const pages = (folder: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}/p${n}.md`, page(n)]))
const folder = (path: string) => ({ kind: 'folder' as const, path })
const counts = (answer: Awaited<ReturnType<typeof indexCorpus>>) => {
  const { added, changed, unchanged, removed, indexed, corpus } = answer
  return { added, changed, unchanged, removed, indexed, pending: corpus.pending, state: corpus.state }
}

/** What the database holds of a corpus: pieces in order, with the transaction that wrote each. */
const held = (id: string) => world.database.db<{ path: string; text: string; written: string }[]>`
  select path, text, xmin::text as written from knowledge_chunks where corpus_id = ${id} order by path collate "C", ordinal`
const actions = async (id: string) =>
  (
    await world.database.db<{ action: string }[]>`
    select draft ->> 'action' as action from audit_outbox where draft -> 'subject' ->> 'id' = ${id} order by id`
  ).map(({ action }) => action)

describe('indexing', () => {
  test('takes what is new or changed, lets go of what left, and touches nothing else', async () => {
    world.write(pages('steady', 4))
    const id = await world.corpus(folder('steady'))
    expect(counts(await indexCorpus(world.ctx(), { id }))).toMatchObject({ added: 4, indexed: 4, state: 'ready' })
    const before = await held(id)
    expect(before.map(({ text }) => text)).toEqual([0, 1, 2, 3].map((n) => page(n)))
    expect(counts(await indexCorpus(world.ctx(), { id }))).toMatchObject({ added: 0, unchanged: 4, indexed: 0 })
    expect(await held(id)).toEqual(before)

    world.write({ 'steady/p1.md': page(1, ' And more.'), 'steady/new.md': page(9) })
    rmSync(join(world.root, 'steady/p2.md'))
    expect(counts(await indexCorpus(world.ctx(), { id }))).toMatchObject({
      ...{ added: 1, changed: 1, unchanged: 2, removed: 1, indexed: 2 },
    })
    const after = await held(id)
    expect(after.map(({ path }) => path)).toEqual(['new.md', 'p0.md', 'p1.md', 'p3.md'])
    expect(after.filter(({ path }) => ['p0.md', 'p3.md'].includes(path))).toEqual(
      before.filter(({ path }) => ['p0.md', 'p3.md'].includes(path)),
    )
    expect(await actions(id)).toEqual(['knowledge.created', ...Array(3).fill('knowledge.indexed')])
  })

  test('that dies half way has kept what it had done, and goes on from there', async () => {
    world.write(pages('crash', 6))
    const id = await world.corpus(folder('crash'))
    const died = new Error('the process died')
    let reads = 0
    const dying: KnowledgeContext['knowledge'] = {
      ...world.ctx().knowledge,
      files: {
        ...world.ctx().knowledge.files,
        read(source, path) {
          reads += 1
          if (reads > 2) throw died
          return world.ctx().knowledge.files.read(source, path)
        },
      },
    }
    await expect(indexCorpus(world.ctx({ knowledge: dying }), { id })).rejects.toBe(died)
    const half = await held(id)
    expect(half.map(({ path }) => path)).toEqual(['p0.md', 'p1.md'])
    expect(counts(await indexCorpus(world.ctx(), { id }))).toMatchObject({ unchanged: 6, indexed: 4, pending: 0 })
    expect((await held(id)).slice(0, 2)).toEqual(half)
  })

  test('that has no more time says what is left, and the next one goes on', async () => {
    world.write(pages('slow', 3))
    const id = await world.corpus(folder('slow'))
    let now = 0
    const { files } = world.ctx().knowledge
    const slow: KnowledgeContext['knowledge'] = {
      ...world.ctx().knowledge,
      files: {
        ...files,
        read(source, path) {
          now += 20_001
          return files.read(source, path)
        },
      },
    }
    const first = counts(await indexCorpus(world.ctx({ clock: () => now, knowledge: slow }), { id }))
    expect(first).toMatchObject({ state: 'indexing', indexed: 1, pending: 2 })
    expect(counts(await indexCorpus(world.ctx(), { id }))).toMatchObject({ indexed: 2, state: 'ready' })
  })

  test('by several at once does everything once', async () => {
    world.write(pages('many', 25))
    const id = await world.corpus(folder('many'))
    const answers = await Promise.all(Array.from({ length: 4 }, () => indexCorpus(world.ctx(), { id })))
    expect(answers.reduce((sum, { indexed }) => sum + indexed, 0)).toBe(25)
    expect((await held(id)).map(({ path }) => path)).toEqual(
      Object.keys(pages('x', 25))
        .map((path) => path.slice(2))
        .sort(),
    )
  })

  test('never puts an older list in the place of a newer one', async () => {
    world.write({ 'late/a.md': page(1) })
    const id = await world.corpus(folder('late'))
    const { files } = world.ctx().knowledge
    let isFirst = true
    const late: KnowledgeContext['knowledge'] = {
      ...world.ctx().knowledge,
      files: {
        ...files,
        async list(source) {
          const listed = await files.list(source)
          if (!isFirst) return listed
          isFirst = false
          world.write({ 'late/b.md': page(2) })
          await indexCorpus(world.ctx(), { id })
          return listed
        },
      },
    }
    expect(counts(await indexCorpus(world.ctx({ knowledge: late }), { id }))).toMatchObject({
      removed: 0,
      unchanged: 2,
    })
    expect((await held(id)).map(({ path }) => path)).toEqual(['a.md', 'b.md'])
  })

  test('keeps what was found while its folder cannot be read', async () => {
    world.write(pages('gone', 2))
    const id = await world.corpus(folder('gone'))
    await indexCorpus(world.ctx(), { id })
    const before = await held(id)
    rmSync(join(world.root, 'gone'), { recursive: true })
    await expect(indexCorpus(world.ctx(), { id })).rejects.toMatchObject({ code: 'validation_failed' })
    expect(await held(id)).toEqual(before)
  })

  test('of documents that are handed in keeps them until they are indexed', async () => {
    const id = await world.corpus({ kind: 'inline' })
    const documents = [
      { path: 'a.md', text: page(1) },
      { path: 'b.txt', text: `${'long '.repeat(1_000)}\n` },
    ]
    let now = 0
    const hurried = () => (now += 25_000)
    expect(counts(await indexCorpus(world.ctx({ clock: hurried }), { id, documents }))).toMatchObject({ pending: 2 })
    expect(counts(await indexCorpus(world.ctx(), { id }))).toMatchObject({ indexed: 2, pending: 0 })
    expect(
      (await held(id))
        .filter(({ path }) => path === 'b.txt')
        .map(({ text }) => text)
        .join(''),
    ).toBe(documents[1]?.text)
    const rows = await world.database.db`select content from knowledge_documents where corpus_id = ${id}`
    expect(rows).toEqual([{ content: null }, { content: null }])
    expect(counts(await indexCorpus(world.ctx(), { id, documents: documents.slice(1) }))).toMatchObject({ removed: 1 })
  })
})

describe('what lies outside, is hidden, or is no text', () => {
  test('is named, and nothing of it is stored', async () => {
    const secret = 'password: hunter2\n'
    world.write({ 'outside/secret.md': secret, 'elsewhere.md': secret }, world.home)
    world.write({
      'mixed/plain.md': page(1),
      'other/near.md': secret,
      'mixed/.hidden.md': secret,
      'mixed/.git/x.md': secret,
    })
    world.write({ 'mixed/zero.md': Buffer.from('password\0'), 'mixed/latin.txt': Buffer.from([0x70, 0xe9, 0x21]) })
    world.write({ 'mixed/program.bin': secret, 'mixed/large.md': 'x'.repeat(1_048_577), 'mixed/inside.md': page(2) })
    const link = (to: string, at: string) => symlinkSync(to, join(world.root, 'mixed', at))
    link('../../elsewhere.md', 'out.md')
    link(join(world.home, 'elsewhere.md'), 'absolute.md')
    link('../other/near.md', 'sideways.md')
    link('../../outside', 'folder')
    link('.hidden.md', 'seen.md')
    link('.git/x.md', 'below.md')
    link('.git/twice.md', 'chain.md')
    link('../.hidden.md', '.git/twice.md')
    link('inside.md', 'again.md')
    link('nowhere.md', 'dangling.md')
    const id = await world.corpus(folder('mixed'))
    const { problems, corpus } = await indexCorpus(world.ctx(), { id })
    expect((await held(id)).map(({ path }) => path)).toEqual(['again.md', 'inside.md', 'plain.md'])
    expect(problems.map(({ path }) => path).sort()).toEqual([
      ...['absolute.md', 'below.md', 'chain.md', 'dangling.md', 'folder', 'large.md', 'latin.txt', 'out.md', 'seen.md'],
      ...['sideways.md', 'zero.md'],
    ])
    expect(corpus.problems).toEqual(problems)
    const [everything] = await world.database.db<{ text: string }[]>`
      select concat((select string_agg(t::text, '') from knowledge_chunks t), (select string_agg(t::text, '') from knowledge_documents t)) as text`
    expect(everything?.text).not.toContain('hunter2')
  })

  test.each([
    ['../outside', 'a way up'],
    ['mixed/../../outside', 'a way up inside'],
    ['/etc', 'an absolute path'],
    ['.hidden', 'a hidden name'],
    ['out', 'a link that leads out'],
    ['linked', 'a link to a hidden folder'],
    ['linked.md', 'a link to a file in a hidden folder'],
    ['way/deep', 'a folder behind a link to a hidden one'],
    ['absent', 'what is not there'],
    ['program.bin', 'another kind of file'],
  ])('%s, %s, is no source', async (path) => {
    world.write({ 'outside/secret.md': 'x' }, world.home)
    world.write({ '.hidden/a.md': 'x', '.hidden/deep/a.md': 'x', 'program.bin': 'x' })
    const links = { out: '../outside', linked: '.hidden', 'linked.md': '.hidden/a.md', way: '.hidden' }
    for (const [at, to] of Object.entries(links)) {
      rmSync(join(world.root, at), { force: true })
      symlinkSync(to, join(world.root, at))
    }
    const before = await world.database.db`select count(*) from knowledge_corpora`
    await expect(world.corpus(folder(path))).rejects.toMatchObject({ code: 'validation_failed' })
    expect(await world.database.db`select count(*) from knowledge_corpora`).toEqual(before)
  })

  test('a single file is a source; one pack brings its folder, and no pack that is not there does', async () => {
    world.write({ 'one/only.md': page(1), 'one/not.md': page(2) })
    const id = await world.corpus(folder('one/only.md'))
    await indexCorpus(world.ctx(), { id })
    expect((await held(id)).map(({ path }) => path)).toEqual(['only.md'])
    world.write(
      { 'incident/knowledge/a.md': page(3), 'incident/secret.md': 'no', 'absent/knowledge/a.md': 'no' },
      world.packs,
    )
    const ofPack = await world.corpus({ kind: 'pack', pack: 'incident' })
    await indexCorpus(world.ctx(), { id: ofPack })
    expect((await held(ofPack)).map(({ text }) => text)).toEqual([page(3)])
    await expect(world.corpus({ kind: 'pack', pack: 'absent' })).rejects.toMatchObject({ code: 'validation_failed' })
  })
})
