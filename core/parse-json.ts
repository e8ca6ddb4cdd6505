import { DomainError } from './errors.ts'

export const MOST_DEPTH = 64
/** Read in some 20 ms, however little text they take. A full batch of a thousand alerts has 40,000. */
export const MOST_VALUES = 60_000

const [QUOTE, COMMA, COLON, ESCAPE] = [34, 44, 58, 92]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]

/**
 * Reads JSON from outside. What is nested deeper than 64 levels, or has more than 60,000 values and keys, is refused before it is parsed:
 * five megabytes of brackets would hold everybody up for more than a second. Throws `malformed_body`, and SyntaxError for what is no JSON.
 */
export function parseJson(text: string, revive?: (name: string, value: unknown) => unknown): unknown {
  measure(text)
  return JSON.parse(text, revive)
}

function measure(text: string): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) at = endOfString(text, at)
    else if (sign === COMMA || sign === COLON) values += 1
    else if (sign === LIST || sign === OBJECT) {
      depth += 1
      values += 1
    } else if (sign === LIST_END || sign === OBJECT_END) depth -= 1
    else continue
    if (depth > MOST_DEPTH)
      throw new DomainError('malformed_body', `The body is nested deeper than ${MOST_DEPTH} levels.`)
    if (values > MOST_VALUES)
      throw new DomainError('malformed_body', `The body has more than ${MOST_VALUES} values and keys.`)
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at += 1) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) break
    if (sign === ESCAPE) at += 1
  }
  return at
}
