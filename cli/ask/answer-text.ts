import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import type { TurnEvent } from '../client/api-ask.ts'
import { pc, printable } from '../views/format.ts'
import { exactUsd } from '../views/run-text.ts'

const CHUNK_PATH = /^\/ui\/api\/knowledge\/([^/?]+)\/passage\?(.*)$/

interface NamedChunk {
  /** of the corpus */
  id: string
  path: string
  line: number
  digest: string
}

/** The chunk that a path of the API opens; undefined where it opens anything else. */
function findChunkInRef(ref: string): NamedChunk | undefined {
  const [, id, query] = CHUNK_PATH.exec(ref) ?? []
  const search = new URLSearchParams(query)
  const [path, digest] = [search.get('path'), search.get('digest')]
  if (id === undefined || path === null || digest === null) return undefined
  return { id, path, digest, line: Number(search.get('line') ?? 1) }
}

/** The same. Throws `validation_failed`. */
export function chunkOfRef(ref: string): NamedChunk {
  const found = findChunkInRef(ref)
  if (found === undefined)
    throw new DomainError('validation_failed', 'a reference is the path of a citation: /ui/api/knowledge/…/passage?…')
  return found
}

type Answer = Pick<Schema<'AskAnswer'>, 'answer' | 'citations' | 'cost' | 'model' | 'grounded'>

/** Numbers the citations of an answer in order: `[^t3]` becomes `[1]`. */
export function createNumbering() {
  const numbers = new Map<string, number>()
  const numberOf = (id: string) => {
    const number = numbers.get(id) ?? numbers.size + 1
    numbers.set(id, number)
    return number
  }
  return {
    numberOf,
    /** a line of an answer, with nothing in it that a terminal would act on */
    line: (text: string) => printable(text).replace(/\[\^([^\]\s]{1,20})\]/g, (_, id: string) => `[${numberOf(id)}]`),
  }
}

/** An answer with its sources, for a person. */
export function answerLines(answer: Answer): string[] {
  const numbering = createNumbering()
  return [...answer.answer.split('\n').map(numbering.line), ...sourceLines(answer, numbering)]
}

/** Formats the sources of an answer, and its cost. */
export function sourceLines(
  { citations, cost, model, grounded }: Answer,
  numbering: ReturnType<typeof createNumbering>,
): string[] {
  const sources = citations
    .map(({ id, tool, ref }) => ({ number: numbering.numberOf(id), text: `${printable(tool)} ${sourceText(ref)}` }))
    .sort((one, other) => one.number - other.number)
  return [
    ...sources.map(({ number, text }) => pc.dim(`  [${number}] ${text}`)),
    pc.dim(
      `  ${grounded ? '' : 'not grounded, '}${printable(model)}, ${exactUsd(cost.usd)} of ${exactUsd(cost.cap_usd)}`,
    ),
  ]
}

/** Returns how to open a source: a path of the API, or the command that shows a chunk of a document. */
function sourceText(ref: string): string {
  const chunk = findChunkInRef(ref)
  if (chunk === undefined) return printable(ref)
  const { path, line } = chunk
  return `${printable(`${path}:${line}`)}: svc knowledge show '${printable(ref)}'`
}

export function toolLine({ name, ref, rows }: Extract<TurnEvent, { type: 'tool' }>['data']): string {
  return pc.dim(`  looked up ${printable(name)} ${printable(ref)} (${rows})`)
}
