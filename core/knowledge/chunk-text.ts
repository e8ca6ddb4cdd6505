/** Default number of hits of a question. */
export const USUAL_HITS = 8
export const MAX_HITS = 50

/** A relative path: no hidden names, no parent folder, no absolute path, and no text that another system would read as either. */
const DOCUMENT_PATH = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._,()+-]*(\/[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._,()+-]*){0,8}$/u

const MAX_CHARS = 255
const DOCUMENT = /\.(md|markdown|txt)$/i

export function isDocumentPath(text: string): boolean {
  return text.length <= MAX_CHARS && DOCUMENT_PATH.test(text)
}

/** Markdown and plain text, by its name. */
export function isDocumentName(name: string): boolean {
  return DOCUMENT.test(name)
}

export const MAX_DOCUMENT_BYTES = 1024 * 1024
/** of all documents of a corpus */
export const MAX_CORPUS_BYTES = 33_554_432

/** Tells whether the database can store the text: no NUL, and no half of a surrogate pair. */
export function isText(text: string): boolean {
  return !text.includes('\u0000') && !/\p{Cs}/u.test(text)
}

/** A piece of a document, in its place. The texts of all chunks, one after the other, are the document. */
export interface Chunk {
  ordinal: number
  /** counted from 1, both included */
  from_line: number
  to_line: number
  /** the headings above it, `Restart > Database`; absent above the first one */
  heading?: string
  text: string
}

/** In UTF-16 code units. From `GOOD` on a chunk ends with a paragraph, at `MAX_CHUNK_CHARS` wherever it is. */
const GOOD = 1_200
export const MAX_CHUNK_CHARS = 2_000
const MAX_HEADING_CHARS = 200

const HEADING = /^ {0,3}(#{1,6})[ \t]/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const BLANK = /^\s*$/
const BLANKS = ' \t'

interface Line {
  number: number
  text: string
  /** of its heading, where it is one */
  level?: number
  title?: string
}

/**
 * Cuts a document into chunks that are found and cited by themselves: at headings, at paragraphs where a chunk is long, else at lines, and
 * in a line only where it is longer than a chunk may be. A document of nothing but blanks has none.
 */
export function chunkText(text: string): Chunk[] {
  const cut = createCutter()
  for (const line of linesOf(text)) cut.take(line)
  return cut.end()
}

function createCutter() {
  const chunks: Chunk[] = []
  const headings: string[] = []
  let open:
    | { from_line: number; to_line: number; heading?: string; text: string; has_body: boolean; is_blank: boolean }
    | undefined
  let afterBlank = false

  function close(): void {
    if (open === undefined) return
    const { has_body: _body, is_blank: _blank, ...chunk } = open
    chunks.push({ ordinal: chunks.length, ...chunk })
    open = undefined
  }

  function isOver(line: Line, blank: boolean): boolean {
    if (open === undefined || open.is_blank) return false
    if (open.text.length + line.text.length > MAX_CHUNK_CHARS) return true
    if (line.level !== undefined) return open.has_body
    return afterBlank && !blank && open.text.length >= GOOD
  }

  function add({ number, text }: Line, isHeading: boolean): void {
    const heading = headings
      .filter((title) => title !== undefined)
      .join(' > ')
      .slice(0, MAX_HEADING_CHARS)
    const under = heading.toWellFormed()
    open ??= { from_line: number, to_line: number, text: '', has_body: false, is_blank: true }
    if (under !== '' && !open.has_body) open.heading = under
    open.text += text
    open.to_line = number
    if (BLANK.test(text)) return
    open.is_blank = false
    if (!isHeading) open.has_body = true
  }

  return {
    take(line: Line): void {
      const blank = BLANK.test(line.text)
      if (isOver(line, blank)) close()
      if (line.level !== undefined && line.title !== undefined) {
        headings.length = Math.min(headings.length, line.level - 1)
        headings[line.level - 1] = line.title
      }
      for (const piece of piecesOf(line.text)) {
        if (open !== undefined && open.text.length + piece.length > MAX_CHUNK_CHARS) close()
        add({ ...line, text: piece }, line.level !== undefined)
      }
      afterBlank = blank
    },
    end(): Chunk[] {
      close()
      return chunks.every(({ text }) => BLANK.test(text)) ? [] : chunks
    },
  }
}

/** Lines with their ends, so that nothing is lost. In a fenced block nothing is a heading. */
function* linesOf(text: string): Generator<Line> {
  let fence: string | undefined
  let number = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length : end + 1
    const line = text.slice(at, next)
    at = next
    number += 1
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      yield { number, text: line }
      continue
    }
    fence = mark
    const [start = '', hashes = ''] = (mark === undefined && HEADING.exec(line)) || []
    const title = titleOf(line.slice(start.length))
    yield start === '' || title === '' ? { number, text: line } : { number, text: line, level: hashes.length, title }
  }
}

/** Returns the text of a heading, without surrounding blanks and closing hashes. */
function titleOf(rest: string): string {
  const line = rest.replace(/\r?\n$|\r$/, '')
  let end = endWithout(BLANKS, line, line.length)
  end = endWithout(BLANKS, line, endWithout('#', line, end))
  let from = 0
  while (from < end && BLANKS.includes(line.charAt(from))) from++
  const title = line.slice(from, Math.min(end, from + MAX_HEADING_CHARS))
  return /[\r\u2028\u2029]/.test(title) ? '' : title
}

function endWithout(chars: string, text: string, end: number): number {
  let at = end
  while (at > 0 && chars.includes(text.charAt(at - 1))) at--
  return at
}

/** A line that is longer than a chunk may be, in pieces that do not part a pair. */
function* piecesOf(line: string): Generator<string> {
  let at = 0
  while (line.length - at > MAX_CHUNK_CHARS) {
    const end = at + MAX_CHUNK_CHARS
    const isPair = /[\ud800-\udbff]/.test(line.charAt(end - 1)) && /[\udc00-\udfff]/.test(line.charAt(end))
    const to = isPair ? end - 1 : end
    yield line.slice(at, to)
    at = to
  }
  yield line.slice(at)
}
