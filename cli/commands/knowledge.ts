import { type Command, Option } from 'commander'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import { MAX_HITS, USUAL_HITS } from '#core/knowledge/chunk-text.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { visibleJson } from '#core/text/visible-text.ts'
import { chunkOfRef } from '../ask/answer-text.ts'
import type { ApiClient } from '../client/api-client.ts'
import type { CliDeps } from '../deps.ts'
import { EXIT } from '../exit-codes.ts'
import { indexAll, readDocuments } from '../knowledge/read-documents.ts'
import { counted, pc, printable, printableLines, wholeNumber } from '../views/format.ts'
import { type ListFlags, printList, withOutput } from '../views/list-output.ts'
import type { Column } from '../views/table.ts'

type Corpus = Schema<'Corpus'>

interface CommonFlags {
  json?: boolean
  workspace?: string
}

interface SourceFlags extends CommonFlags {
  folder?: string
  pack?: string
  file?: string[]
}

interface KnowledgeDeps extends Pick<CliDeps, 'out' | 'err' | 'screen' | 'exit'> {
  api(
    workspace?: string,
  ): Pick<ApiClient, 'corpora' | 'createCorpus' | 'indexCorpus' | 'queryCorpus' | 'chunk' | 'deleteCorpus'>
}

const INDEX_STATUS = '\nExit status: 0 everything is indexed, 1 something could not be taken or is left.'
const QUERY_STATUS = '\nExit status: 0 something was found, 1 nothing was.'

/** `svc knowledge`: registers, indexes, searches and removes corpora of documents. */
export function registerKnowledge(program: Command, deps: KnowledgeDeps): void {
  const knowledge = program.command('knowledge').description('corpora of documents that people and agents search')
  const inWorkspace = (command: Command) =>
    command.addOption(new Option('--workspace <id or name>', 'the workspace (default: SVC_WORKSPACE, else your own)'))
  const command = (usage: string, description: string) =>
    inWorkspace(knowledge.command(usage).description(description).option('--json', 'print JSON'))
  const files = new Option('--file <path...>', 'Markdown or plain text of this machine: all documents of the corpus')

  inWorkspace(withOutput(knowledge.command('list').description('list the corpora'))).action(
    async (flags: ListFlags & CommonFlags) => {
      const rows = await deps.api(flags.workspace).corpora()
      printList(deps, flags, {
        columns: COLUMNS,
        rows,
        empty: 'there are no corpora; one is made with: svc knowledge add <name> --folder <path>',
      })
    },
  )
  command('add <name>', 'register a corpus and index it (owner or admin)')
    .addOption(
      new Option('--folder <path>', 'a folder or file of the server, below SVC_KNOWLEDGE_DIR').conflicts([
        'pack',
        'file',
      ]),
    )
    .addOption(new Option('--pack <pack>', 'the folder knowledge of a pack').conflicts('file'))
    .addOption(files)
    .addHelpText('after', INDEX_STATUS)
    .action((name: string, flags: SourceFlags) => add(deps, name, flags))
  command('index <corpus>', 'index what is new or has changed (owner or admin)')
    .addOption(files)
    .addHelpText('after', INDEX_STATUS)
    .action(async (corpus: string, flags: SourceFlags) => {
      const { id } = await find(deps, corpus, flags)
      await index(deps, id, flags)
    })
  command('query <corpus> <words...>', 'search a corpus')
    .option('--limit <n>', `most hits (default: ${USUAL_HITS})`, wholeNumber(MAX_HITS))
    .addHelpText('after', QUERY_STATUS)
    .action((corpus: string, words: string[], flags: CommonFlags & { limit?: number }) =>
      query(deps, { corpus, words }, flags),
    )
  command('show <reference>', 'read a chunk that an answer cites, by the path of its citation').action(
    async (reference: string, flags: CommonFlags) => {
      const { id, ...name } = chunkOfRef(reference)
      const chunk = await deps.api(flags.workspace).chunk(id, name)
      if (flags.json) deps.out(visibleJson(chunk))
      else showChunk(deps, chunk)
    },
  )
  command('remove <corpus>', 'delete a corpus; files stay as they are (owner or admin)').action(
    async (corpus: string, flags: CommonFlags) => {
      const { id, name } = await find(deps, corpus, flags)
      await deps.api(flags.workspace).deleteCorpus(id)
      if (flags.json) deps.out(visibleJson({ id, name, removed: true }))
    },
  )
}

async function add(deps: KnowledgeDeps, name: string, flags: SourceFlags): Promise<void> {
  const { folder, pack, file, workspace } = flags
  if (folder === undefined && pack === undefined && file === undefined)
    throw new DomainError('validation_failed', 'say where its documents are: --folder, --pack or --file')
  const source: Schema<'CorpusDraft'>['source'] =
    folder !== undefined
      ? { kind: 'folder', path: folder }
      : pack !== undefined
        ? { kind: 'pack', pack }
        : { kind: 'inline' }
  const { id } = await deps.api(workspace).createCorpus({ name, source })
  await index(deps, id, flags)
}

async function index(deps: KnowledgeDeps, id: string, { file, json, workspace }: SourceFlags): Promise<void> {
  const documents = file === undefined ? undefined : await readDocuments(file)
  const done = await indexAll(deps.api(workspace), id, documents)
  if (json) deps.out(visibleJson(done))
  else show(deps, done)
  if (done.problems.length > 0 || done.corpus.pending > 0) deps.exit(EXIT.failed)
}

function show({ out, err }: KnowledgeDeps, done: Schema<'CorpusIndexed'>): void {
  const { corpus, added, changed, removed, unchanged, indexed, vectors } = done
  const size = `${counted(corpus.documents, 'document')}  ${counted(corpus.chunks, 'chunk')}`
  out(printable(`${corpus.id}  ${corpus.name}  ${corpus.state}  ${size}`))
  out(pc.dim(`  ${indexed} indexed: ${added} new, ${changed} changed, ${removed} removed, ${unchanged} unchanged`))
  if (vectors.model !== undefined)
    out(pc.dim(printable(`  ${vectors.made} vectors made by ${vectors.model}, ${vectors.left} left`)))
  if (vectors.refused !== undefined) err(printable(`no more vectors: ${vectors.refused}`))
  if (corpus.pending > 0) err(`${corpus.pending} documents are left; index it again`)
  for (const { path, message } of done.problems) err(printable(`${path}: ${message}`))
}

async function query(
  deps: KnowledgeDeps,
  { corpus, words }: { corpus: string; words: string[] },
  flags: CommonFlags & { limit?: number },
): Promise<void> {
  const { id } = await find(deps, corpus, flags)
  const { limit = USUAL_HITS } = flags
  const answer = await deps.api(flags.workspace).queryCorpus(id, { query: words.join(' '), limit })
  if (flags.json) deps.out(visibleJson(answer))
  else for (const hit of answer.hits) showChunk(deps, hit)
  if (answer.vectors_refused !== undefined) deps.err(printable(`by words alone: ${answer.vectors_refused}`))
  if (answer.hits.length > 0) return
  deps.err('nothing was found')
  deps.exit(EXIT.failed)
}

function showChunk(
  { out }: KnowledgeDeps,
  { path, from_line, to_line, heading, text }: Schema<'KnowledgePassage'>,
): void {
  out(
    pc.bold(printable(`${path}:${from_line}-${to_line}`)) +
      (heading === undefined ? '' : pc.dim(`  ${printable(heading)}`)),
  )
  for (const line of printableLines(text.trimEnd())) out(`  ${line}`)
}

/** Finds a corpus by name or id. */
async function find(deps: KnowledgeDeps, corpus: string, { workspace }: CommonFlags): Promise<Corpus> {
  const all = await deps.api(workspace).corpora()
  const found = all.find(({ id, name }) => id === corpus || name === corpus)
  const names = all.map(({ name }) => name)
  if (found === undefined)
    throw new DomainError('not_found', `there is no corpus ${printable(corpus)}${didYouMean(corpus, names)}`)
  return found
}

const COLUMNS: Column<Corpus>[] = [
  { title: 'CORPUS', text: ({ name }) => name },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'DOCUMENTS', text: ({ documents }) => String(documents) },
  { title: 'PENDING', text: ({ pending }) => (pending === 0 ? '' : String(pending)) },
  { title: 'CHUNKS', text: ({ chunks }) => String(chunks) },
  { title: 'VECTORS', text: ({ vectors }) => (vectors === 0 ? '' : String(vectors)) },
  { title: 'SOURCE', text: ({ source }) => sourceText(source), cut: true },
  { title: 'ATTACHED IN', text: ({ attached_in }) => attached_in.join(','), cut: true },
  { title: 'PROBLEMS', text: ({ problems }) => (problems.length === 0 ? '' : String(problems.length)) },
  { title: 'ID', text: ({ id }) => id, wide: true },
  { title: 'LISTED', text: ({ listed_at }) => listed_at ?? '', wide: true },
]

function sourceText(source: Corpus['source']): string {
  if (source.kind === 'folder') return `folder ${source.path}`
  return source.kind === 'pack' ? `pack ${source.pack}` : 'handed in'
}
