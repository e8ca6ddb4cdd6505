import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerKnowledge } from '#cli/commands/knowledge.ts'
import type { Schema } from '#client/create-client.ts'

const CORPUS: Schema<'Corpus'> = {
  ...{
    id: 'cor_1',
    workspace_id: 'ws_1',
    name: 'runbooks',
    source: { kind: 'folder', path: 'runbooks' },
    state: 'ready',
  },
  ...{ documents: 2, pending: 0, chunks: 5, vectors: 0, bytes: 90, problems: [], attached_in: ['production'] },
  ...{ author: 'usr_1', created_at: '2026-01-05T09:30:00.000Z', updated_at: '2026-01-05T09:30:00.000Z', etag: '"e"' },
}
const INDEXED: Schema<'CorpusIndexed'> = {
  ...{ corpus: CORPUS, added: 2, changed: 0, unchanged: 0, removed: 0, indexed: 2, problems: [] },
  vectors: { made: 0, left: 0 },
}
const HIT: Schema<'KnowledgeHit'> = {
  ...{ corpus_id: 'cor_1', corpus: 'runbooks', path: 'a.md', from_line: 3, to_line: 4, heading: 'Restart' },
  ...{ text: 'Drain it.\u001b[2J\u202e\n', digest: 'sha256:0', score: 0.1 },
}

interface Answers {
  indexed?: Schema<'CorpusIndexed'>[]
  answer?: Schema<'CorpusAnswer'>
}

async function svc(args: string[], { indexed = [INDEXED], answer = { hits: [HIT], used: ['text'] } }: Answers = {}) {
  const calls: unknown[] = []
  const lines: string[] = []
  const errors: string[] = []
  let code: number | undefined
  const api = {
    corpora: async () => [CORPUS],
    createCorpus: async (draft: object) => {
      calls.push(draft)
      return CORPUS
    },
    indexCorpus: async (id: string, body: object) => {
      calls.push([id, body])
      return indexed.shift() ?? INDEXED
    },
    queryCorpus: async (id: string, body: object) => {
      calls.push([id, body])
      return answer
    },
    chunk: async (id: string, name: object) => {
      calls.push([id, name])
      return HIT
    },
    deleteCorpus: async (id: string) => void calls.push(id),
  }
  const program = new Command()
  registerKnowledge(program, {
    api: () => api,
    out: (line) => void lines.push(line),
    err: (line) => void errors.push(line),
    screen: () => undefined,
    exit: (given) => {
      code = given
      throw new Error('exit')
    },
  })
  const quiet = (command: Command) => {
    command.exitOverride().configureOutput({ writeErr: () => undefined })
    command.commands.forEach(quiet)
  }
  quiet(program)
  await program.parseAsync(['knowledge', ...args], { from: 'user' }).catch((error: unknown) => {
    if (code === undefined) throw error
  })
  return { calls, lines, errors, code }
}

test('lists corpora with what is in them', async () => {
  const [titles, row] = (await svc(['list'])).lines
  expect(titles?.split(/ {2,}/)).toEqual(['CORPUS', 'STATE', 'DOCUMENTS', 'CHUNKS', 'SOURCE', 'ATTACHED IN'])
  expect(row?.split(/ {2,}/)).toEqual(['runbooks', 'ready', '2', '5', 'folder runbooks', 'production'])
  expect((await svc(['list', '--json'])).lines.map((line) => JSON.parse(line))).toEqual([CORPUS])
})

test.each([
  [['--folder', 'runbooks'], { kind: 'folder', path: 'runbooks' }],
  [['--pack', 'sre'], { kind: 'pack', pack: 'sre' }],
])('registers and indexes with %j', async (flags, source) => {
  const { calls, lines, code } = await svc(['add', 'runbooks', ...flags])
  expect(calls).toEqual([{ name: 'runbooks', source }, ['cor_1', {}]])
  expect([lines[0], code]).toEqual(['cor_1  runbooks  ready  2 documents  5 chunks', undefined])
})

test('registers nothing that has no source', async () => {
  await expect(svc(['add', 'runbooks'])).rejects.toThrow('say where its documents are: --folder, --pack or --file')
})

test('hands files of this machine in by their names', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-documents-')), 'a.md')
  writeFileSync(file, '# A\n')
  const { calls } = await svc(['index', 'runbooks', '--file', file])
  const handedIn = ['cor_1', { documents: [{ path: 'a.md', text: '# A\n' }] }]
  expect(calls).toEqual([handedIn])
  const added = await svc(['add', 'runbooks', '--file', file])
  expect(added.calls).toEqual([{ name: 'runbooks', source: { kind: 'inline' } }, handedIn])
  writeFileSync(file, Buffer.from([0xff]))
  await expect(svc(['index', 'runbooks', '--file', file])).rejects.toThrow('cannot be read as text')
})

test('goes on until nothing is left, and ends where nothing gets further', async () => {
  const left = (pending: number, indexed: number) => ({
    ...{ ...INDEXED, indexed, corpus: { ...CORPUS, state: 'indexing' as const, pending } },
  })
  const { calls, lines, code } = await svc(['index', 'cor_1', '--json'], { indexed: [left(3, 1), left(1, 2), INDEXED] })
  expect([calls.length, code]).toEqual([3, undefined])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ indexed: 5, added: 2 })
  const stuck = await svc(['index', 'cor_1'], { indexed: [left(3, 0)] })
  expect([stuck.calls.length, stuck.code, stuck.errors]).toEqual([1, 1, ['3 documents are left; index it again']])
})

test('says what could not be taken, and fails', async () => {
  const problems = [{ path: 'out\u202e.md', message: 'leads out' }]
  const { errors, code } = await svc(['index', 'runbooks'], { indexed: [{ ...INDEXED, problems }] })
  expect([errors, code]).toEqual([['out\\u{202e}.md: leads out'], 1])
})

test('shows what was found with its lines, and no control character of it', async () => {
  const { calls, lines, code } = await svc(['query', 'runbooks', 'drain', 'it', '--limit', '3'])
  expect(calls).toEqual([['cor_1', { query: 'drain it', limit: 3 }]])
  expect(lines).toEqual(['a.md:3-4  Restart', '  Drain it.\\u{1b}[2J\\u{202e}'])
  expect(code).toBeUndefined()
  const json = await svc(['query', 'runbooks', 'drain', '--json'])
  expect(json.lines.join('')).not.toContain('\u202e')
  expect(JSON.parse(json.lines.join(''))).toEqual({ hits: [HIT], used: ['text'] })
  const none = await svc(['query', 'runbooks', 'drain'], {
    answer: { hits: [], used: ['text'], vectors_refused: 'no' },
  })
  expect([none.code, none.errors]).toEqual([1, ['by words alone: no', 'nothing was found']])
})

test('removes a corpus by its name, and knows none that there is not', async () => {
  expect((await svc(['remove', 'runbooks'])).calls).toEqual(['cor_1'])
  await expect(svc(['remove', 'runbook'])).rejects.toThrow('there is no corpus runbook; did you mean runbooks?')
})

test('shows a chunk by the path of its citation, and no other path', async () => {
  const ref = '/ui/api/knowledge/cor_1/passage?path=a%20b.md&line=3&digest=sha256%3A0'
  const { calls, lines } = await svc(['show', ref])
  expect(calls).toEqual([['cor_1', { path: 'a b.md', line: 3, digest: 'sha256:0' }]])
  expect(lines).toEqual(['a.md:3-4  Restart', '  Drain it.\\u{1b}[2J\\u{202e}'])
  for (const other of ['/runs', '/ui/api/knowledge/cor_1', '/ui/api/knowledge/cor_1/passage?path=a.md'])
    await expect(svc(['show', other])).rejects.toThrow('a reference is the path of a citation: /ui/api/knowledge/')
})
