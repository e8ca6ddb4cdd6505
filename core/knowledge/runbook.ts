import type { AlertRecord } from '../trigger/alert-record.ts'
import type { KnowledgePassage } from './schema.ts'

/** A document that an alert calls its runbook. */
export interface NamedDocument {
  /** the paths by which a corpus may have it, the longest first */
  paths: string[]
  /** the section, as in `database.md#restart` */
  section: string
}

type NamingAlert = Pick<AlertRecord, 'annotations' | 'links'>

const MAX_PARTS = 8
/** Each is looked up whenever somebody looks at a gate. */
const MAX_DOCUMENTS = 4
const MAX_WORDS = 24

/** Returns the documents that an alert names as its runbook, by an address or a path. */
export function namedDocuments({ annotations, links }: NamingAlert): NamedDocument[] {
  const named = [
    ...Object.entries(annotations).flatMap(([name, text]) => (/^runbook(_?url)?$/i.test(name) ? [text] : [])),
    ...links.filter(({ title }) => /runbook/i.test(title)).map(({ url }) => url),
  ]
  return [...new Set(named)].slice(0, MAX_DOCUMENTS).flatMap((address) => documentAt(address) ?? [])
}

function documentAt(address: string): NamedDocument | undefined {
  // a path alone is read like an address
  const base = 'http://runbook.invalid/'
  if (!URL.canParse(address.trim(), base)) return undefined
  const { pathname, hash } = new URL(address.trim(), base)
  const parts = pathname.split('/').filter(Boolean).map(decoded).slice(-MAX_PARTS)
  if (parts.length === 0) return undefined
  const tails = parts.map((_, at) => parts.slice(at).join('/'))
  const paths = tails.flatMap((path) => (/\.(md|markdown|txt)$/i.test(path) ? [path] : [`${path}.md`, path]))
  return { paths, section: wordsOf(decoded(hash.slice(1))).join(' ') }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the words of a text as plain words: as a question they exclude nothing and quote nothing. */
export function wordsOf(text: string): string[] {
  return allWordsOf(text).slice(0, MAX_WORDS)
}

function allWordsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  return plain.match(/[\p{L}\p{N}]+/gu) ?? []
}

type Chunk = Pick<KnowledgePassage, 'path' | 'heading' | 'text'>

/** True if a chunk mentions one of these names, however it is punctuated. */
export function mentions({ path, heading = '', text }: Chunk, names: readonly string[]): boolean {
  const said = ` ${allWordsOf(`${path} ${heading} ${text}`).join(' ')} `
  const named = names.map((name) => wordsOf(name).join(' ')).filter((name) => name !== '')
  return named.some((name) => said.includes(` ${name} `))
}

/** Returns the chunk of a document that its address leads to: the section, else what mentions the names, else the first. */
export function chunkOf<Item extends Chunk>(
  chunks: readonly Item[],
  section: string,
  names: readonly string[],
): Item | undefined {
  const isSection = ({ heading }: Item) => wordsOf(heading?.split(' > ').at(-1) ?? '').join(' ') === section
  return (
    (section === '' ? undefined : chunks.find(isSection)) ?? chunks.find((chunk) => mentions(chunk, names)) ?? chunks[0]
  )
}
