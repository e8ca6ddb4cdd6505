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
