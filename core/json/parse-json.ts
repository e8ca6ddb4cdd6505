import { DomainError, type FieldError } from '../errors.ts'
import { isExact } from './exact-number.ts'
import { jsonPointer } from './json.ts'

export const MAX_DEPTH = 64
/** Read in some 20 ms, however little text they take. A full batch of a thousand alerts has 40,000. */
export const MAX_VALUES = 60_000
const MAX_ERRORS = 100
const MAX_DIGITS = 1e15 - 1
const TOO_MANY_DIGITS = 1e18
const BATCH = 256
/** A fraction of this many digits may be smaller than any double. */
const LONG_FRACTION = 290

const [QUOTE, COMMA, COLON, ESCAPE] = [34, 44, 58, 92]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125]
const [MINUS, PLUS, DOT, ZERO, NINE, SMALL_E, LARGE_E] = [45, 43, 46, 48, 57, 101, 69]
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const BLANKS = ' \t\n\r'

/** Advice for a refused number. */
export const SEND_AS_TEXT =
  'is a number that cannot be kept exactly; send it as text, in quotes, or with at most 15 digits where only a number will do'

/** Generators of schemas write the bounds of `format: int64`, which have no text to be sent as. */
const BOUNDS: ReadonlySet<unknown> = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
const LEAVE_OUT_BOUND = `${SEND_AS_TEXT}, or, where it is a bound of a JSON Schema, leave it out`

interface Limits {
  most_depth: number
  most_values: number
}

const LIMITS: Limits = { most_depth: MAX_DEPTH, most_values: MAX_VALUES }
export const UNLIMITED: Limits = { most_depth: Number.POSITIVE_INFINITY, most_values: Number.POSITIVE_INFINITY }

/** The place of a number in a text. */
interface Literal {
  start: number
  end: number
  /** an integer beyond 2^53, or more digits than any double has */
  beyond: boolean
}

/**
 * Reads the JSON of a request. What is nested deeper than 64 levels, or has more than 60,000 values and keys, is refused before it is
 * parsed: five megabytes of brackets would hold everybody up for more than a second. Throws `malformed_body`, SyntaxError for what is no
 * JSON, and `validation_failed` for numbers that would be rounded.
 */
export function parseJson(text: string): unknown {
  const inexact = inexactNumbers(text)
  const value: unknown = JSON.parse(text)
  if (inexact.length > 0) throw inexactError(pathsOf(text, inexact.slice(0, MAX_ERRORS)), inexact.length)
  return value
}

/**
 * Reads the JSON of another system, which cannot be asked to send it differently: a number that would be rounded is kept as text, digit for
 * digit. The limits are the same, unless the size of the text was limited elsewhere.
 */
export function parseForeignJson(text: string, limits: Limits = LIMITS): unknown {
  const inexact = inexactNumbers(text, limits)
  if (inexact.length === 0) return JSON.parse(text)
  const parts: string[] = []
  let from = 0
  for (const { start, end } of inexact) {
    parts.push(text.slice(from, start), '"', text.slice(start, end), '"')
    from = end
  }
  parts.push(text.slice(from))
  return JSON.parse(parts.join(''))
}

/** The same; undefined for what is no JSON, or more than the limits. */
export function foreignJsonIn(text: string): unknown {
  try {
    return parseForeignJson(text)
  } catch {
    return undefined
  }
}

/** Returns the numbers that a double cannot hold, in order. The parser reports invalid JSON. */
function inexactNumbers(text: string, limits: Limits = LIMITS): Literal[] {
  const inexact: Literal[] = []
  const doubtful = doubtfulNumbers(text, limits)
  for (let at = 0; at < doubtful.length; at += BATCH) {
    const batch = doubtful.slice(at, at + BATCH)
    if (!areExact(text, batch)) inexact.push(...batch.filter((literal) => isInexact(text, literal)))
  }
  return inexact
}

/** Most doubles are written alike by every library, and comparing them together is faster than one by one. */
function areExact(text: string, literals: readonly Literal[]): boolean {
  if (literals.some(({ beyond }) => beyond)) return false
  const list = `[${literals.map(({ start, end }) => text.slice(start, end)).join(',')}]`
  try {
    return JSON.stringify(JSON.parse(list)) === list
  } catch {
    return false
  }
}

/** Returns the numbers with so many digits, or with an exponent, that a double may not hold them. */
function doubtfulNumbers(text: string, { most_depth, most_values }: Limits): Literal[] {
  const doubtful: Literal[] = []
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
    else if (sign === MINUS || (sign >= ZERO && sign <= NINE)) {
      const start = at
      let digits = sign === MINUS ? 0 : sign - ZERO
      let [fraction, exponent] = [false, false]
      for (at += 1; at < text.length; at += 1) {
        const next = text.charCodeAt(at)
        if (next >= ZERO && next <= NINE) digits = digits * 10 + (next - ZERO)
        else if (next === DOT) fraction = true
        else if (next === LARGE_E || next === SMALL_E || next === PLUS || next === MINUS) exponent = true
        else break
      }
      // every double holds so few digits
      if (
        exponent ||
        digits > (fraction ? MAX_DIGITS : Number.MAX_SAFE_INTEGER) ||
        (fraction && at - start > LONG_FRACTION)
      )
        doubtful.push({
          start,
          end: at,
          beyond: !exponent && (!fraction || (digits > TOO_MANY_DIGITS && text.charCodeAt(at - 1) !== ZERO)),
        })
      at -= 1
      if (doubtful.length <= most_values) continue
    } else continue
    if (depth > most_depth)
      throw new DomainError('malformed_body', `The body is nested deeper than ${most_depth} levels.`)
    if (values > most_values || doubtful.length > most_values)
      throw new DomainError('malformed_body', `The body has more than ${most_values} values and keys.`)
  }
  return doubtful
}

function isInexact(text: string, { start, end, beyond }: Literal): boolean {
  const literal = text.slice(start, end)
  // in quotes, a number in the place of a key would pass for one
  return (beyond || !isExact(literal)) && NUMBER.test(literal) && text.charCodeAt(afterBlanks(text, end)) !== COLON
}

function afterBlanks(text: string, start: number): number {
  let at = start
  while (at < text.length && BLANKS.includes(text.charAt(at))) at += 1
  return at
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === ESCAPE) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}

type Path = (string | number)[]

/** The ways to these numbers, within a text that is JSON. */
function pathsOf(text: string, literals: readonly Literal[]): Path[] {
  const paths: Path[] = []
  const path: Path = []
  const last = literals.at(-1)?.start ?? 0
  for (let at = 0; at <= last; at += 1) {
    const sign = text.charCodeAt(at)
    if (at === literals[paths.length]?.start) paths.push([...path])
    if (sign === LIST) path.push(0)
    else if (sign === OBJECT) path.push('')
    else if (sign === LIST_END || sign === OBJECT_END) path.pop()
    else if (sign === COMMA) {
      const index = path.at(-1)
      if (typeof index === 'number') path[path.length - 1] = index + 1
    } else if (sign === QUOTE) {
      const end = endOfString(text, at)
      if (text.charCodeAt(afterBlanks(text, end + 1)) === COLON) path[path.length - 1] = keyOf(text.slice(at, end + 1))
      at = end
    }
  }
  return paths
}

function keyOf(quoted: string): string {
  return String(JSON.parse(quoted))
}

function inexactError(paths: readonly Path[], count: number): DomainError {
  const errors = paths.map(
    (path): FieldError => ({
      pointer: jsonPointer(path),
      loc: path,
      msg: formatPath(path),
      type: 'inexact_number',
    }),
  )
  const pointer = errors[0]?.pointer ?? ''
  const more = count > 1 ? ` (and ${count - 1} more)` : ''
  const what = pointer === '' ? 'The body' : `body ${pointer}:`
  return new DomainError('validation_failed', `${what} ${errors[0]?.msg ?? SEND_AS_TEXT}${more}`, { errors })
}

function formatPath(path: Path): string {
  return BOUNDS.has(path.at(-1)) ? LEAVE_OUT_BOUND : SEND_AS_TEXT
}
