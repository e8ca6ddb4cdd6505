/** How many hits a question is answered with, where it does not say. */
export const USUAL_HITS = 8
export const MOST_HITS = 50

/** Below something: no hidden names, no way up, no absolute path, nothing that another system would read as either. */
const DOCUMENT_PATH = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._,()+-]*(\/[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._,()+-]*){0,8}$/u

const MOST_CHARS = 255
const DOCUMENT = /\.(md|markdown|txt)$/i

export function isDocumentPath(text: string): boolean {
  return text.length <= MOST_CHARS && DOCUMENT_PATH.test(text)
}

/** Markdown and plain text, by its name. */
export function isDocumentName(name: string): boolean {
  return DOCUMENT.test(name)
}

export const MOST_DOCUMENT_BYTES = 1_048_576
/** of all documents of a corpus */
export const MOST_CORPUS_BYTES = 33_554_432

/** What the database can keep as it is: no zero, which text has none of, and no half of a pair. */
export function isText(text: string): boolean {
  return !text.includes('\u0000') && !/\p{Cs}/u.test(text)
}
