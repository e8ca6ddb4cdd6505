export const MOST_DOCUMENT_BYTES = 1_048_576
/** of all documents of a corpus */
export const MOST_CORPUS_BYTES = 33_554_432

/** What the database can keep as it is: no zero, which text has none of, and no half of a pair. */
export function isText(text: string): boolean {
  return !text.includes('\u0000') && !/\p{Cs}/u.test(text)
}
