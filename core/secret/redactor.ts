import { HIDDEN } from '../egress/secret-name.ts'
import type { Json } from '../json.ts'
import { encodedForms } from './encoded-forms.ts'

/** Replaces every occurrence of a run's secrets. Answers the very value when there is nothing to hide. */
export interface Redactor {
  text(text: string): string
  /** of a value that came from outside: also in the names of members, and short secrets where they stand alone */
  data<Value extends Json>(value: Value): Value
  /** of a record in our own shape: its names, numbers and the digests, ids and times in it stay */
  record<Value extends Json>(value: Value): Value
}

/** Shorter texts are too common to be replaced inside of others. */
const MIN_CHARS = 4
/** A digest or an id that we made holds a text this long by no accident. */
const LONG_CHARS = 16
/** Long enough to be known as the beginning of a secret where a text was cut off. */
const HEAD_CHARS = 4
const CUT = '…'
/** A text that was cut off is at least this long. */
const CUT_CHARS = 500
/** What we cut carries one mark, its quotations a few more. */
const MAX_CUTS = 20
const MADE_HERE =
  /^(?:(?:hmac-)?sha256:[0-9a-f]{64}|[a-z]{2,8}_[0-9a-z]{26}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)$/i

/** A redactor of these values; objects and lists stand for everything in them. */
export function createRedactor(values: Iterable<Json>): Redactor {
  const secrets = new Set([...values].flatMap(texts).filter((text) => text !== '' && text !== HIDDEN))
  if (secrets.size === 0) return NOTHING_TO_HIDE
  const longEnough = [...secrets].filter((text) => text.length >= MIN_CHARS)
  const forms = [...new Set(longEnough.flatMap(encodedForms))].filter((form) => form.length >= MIN_CHARS)

  function hide(given: string, forms: string[]): string {
    const whole = forms.flatMap((form) => occurrences(given, form))
    const cuts = occurrences(given, CUT)
      .slice(-MAX_CUTS)
      .map(([at]) => at)
    if (given.length >= CUT_CHARS) cuts.push(given.length)
    const ranges = whole.concat(cuts.flatMap((cut) => forms.flatMap((form) => beginning(given, cut, form))))
    return ranges.length === 0 ? given : without(given, ranges)
  }
  const text = (given: string) => hide(given, forms)
  const longForms = forms.filter((form) => form.length >= LONG_CHARS)
  const data = (given: string) => (secrets.has(given) ? HIDDEN : text(given))
  const record = (given: string) => hide(given, MADE_HERE.test(given) ? longForms : forms)
  return {
    text,
    data: (value) => mapped(value, data, data, secrets),
    record: (value) => mapped(value, record, (name) => name),
  }
}

const NOTHING_TO_HIDE: Redactor = { text: (text) => text, data: (value) => value, record: (value) => value }

/** The texts that would give a value away; a number counts by its digits. */
function texts(value: Json): string[] {
  if (typeof value === 'string') return [value, ...new Set([value.trim()])]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(texts)
}

type Range = [from: number, to: number]

function occurrences(text: string, part: string): Range[] {
  const found: Range[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push([at, at + part.length])
  return found
}

/** Where a text that was cut off ends with the beginning of a secret. */
function beginning(text: string, cut: number, form: string): Range[] {
  if (form.length <= HEAD_CHARS) return []
  const head = form.slice(0, HEAD_CHARS)
  const first = Math.max(0, cut - form.length + 1)
  for (let at = text.indexOf(head, first); at >= 0 && at < cut; at = text.indexOf(head, at + 1)) {
    if (form.startsWith(text.slice(at, cut))) return [[at, cut]]
  }
  return []
}

/** Ranges that touch become one, so that nothing of two overlapping secrets is left between. */
function without(text: string, ranges: Range[]): string {
  const merged: Range[] = []
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  let kept = 0
  const shown = merged.map(([from, to]) => {
    const before = text.slice(kept, from)
    kept = to
    return before + HIDDEN
  })
  return shown.join('') + text.slice(kept)
}

function mapped<Value extends Json>(
  value: Value,
  text: (text: string) => string,
  name: (name: string) => string,
  numbers?: ReadonlySet<string>,
): Value {
  const map = (each: Json): Json => {
    if (typeof each === 'string') return text(each)
    if (typeof each === 'number') {
      const digits = String(each)
      return digits.length >= MIN_CHARS && numbers?.has(digits) ? HIDDEN : each
    }
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return each.map(map)
    return Object.fromEntries(Object.entries(each).map(([key, item]) => [name(key), map(item)]))
  }
  return map(value) as Value
}
