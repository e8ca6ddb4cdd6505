import { HIDDEN } from '../egress/url.ts'
import type { Json } from '../json/json.ts'
import { visibleExactly } from '../text/visible-text.ts'
import { encodedForms } from './encoded-forms.ts'
import { isSecretMark, secretMark } from './secret-mark.ts'

/** Replaces every occurrence of a run's secrets. Answers the very value when there is nothing to hide. */
export interface Redactor {
  text(text: string): string
  /** for a value from outside: also redacts names of members, and short secrets where they are the whole text */
  data<Value extends Json>(value: Value): Value
  /** of a record in our own shape: its names, numbers and the digests, ids and times in it stay */
  record<Value extends Json>(value: Value): Value
  /** of what an approver reads: like `data`, and every other text is made visible so that it can be read back exactly */
  shown<Value extends Json>(value: Value): Value
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
/** Our own cuts have one mark, their quotations a few more. */
const MAX_CUTS = 20
const MADE_HERE =
  /^(?:(?:hmac-)?sha256:[0-9a-f]{64}|[a-z]{2,8}_[0-9a-z]{26}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)$/i

/** A hidden value, and its name for people. */
export type NamedSecret = readonly [name: string, value: Json]

/** Makes a redactor of these values; objects and lists count with everything in them. */
export function createRedactor(secrets: Iterable<NamedSecret>): Redactor {
  const marks = new Map<string, string>()
  for (const [name, value] of secrets) {
    for (const text of texts(value)) if (isRedactable(text) && !marks.has(text)) marks.set(text, secretMark(name))
  }
  if (marks.size === 0) return NOTHING_TO_HIDE
  const forms = formsOf(marks)
  const longForms = forms.filter(({ text }) => text.length >= LONG_CHARS)
  const ours = [...new Set(marks.values())]

  function hide(given: string, forms: Form[], kept = (text: string) => text): string {
    const own = ours.flatMap((mark) => occurrences(given, { text: mark, mark }))
    const whole = forms.flatMap((form) => occurrences(given, form))
    const cuts = occurrences(given, { text: CUT, mark: '' })
      .slice(-MAX_CUTS)
      .map(({ from }) => from)
    if (given.length >= CUT_CHARS) cuts.push(given.length)
    const found = whole.concat(cuts.flatMap((cut) => forms.flatMap((form) => beginning(given, cut, form))))
    // a mark is no place for a secret, even where one reads like a part of it
    const ranges = found.filter(({ from, to }) => !own.some((mark) => mark.from <= from && to <= mark.to))
    return ranges.length === 0 ? kept(given) : without(given, ranges, kept)
  }
  const text = (given: string) => hide(given, forms)
  const data = (given: string) => marks.get(given) ?? text(given)
  const shown = (given: string) => marks.get(given) ?? hide(given, forms, visibleExactly)
  const record = (given: string) => hide(given, MADE_HERE.test(given) ? longForms : forms)
  return {
    text,
    data: (value) => mapped(value, data, data, marks),
    record: (value) => mapped(value, record, (name) => name),
    shown: (value) => mapped(value, shown, shown, marks),
  }
}

const NOTHING_TO_HIDE: Redactor = {
  text: (text) => text,
  data: (value) => value,
  record: (value) => value,
  shown: (value) => mapped(value, visibleExactly, visibleExactly),
}

/** A form of a secret, and its replacement. */
interface Form {
  text: string
  mark: string
}

function formsOf(marks: ReadonlyMap<string, string>): Form[] {
  const forms = new Map<string, string>()
  for (const [secret, mark] of marks) {
    if (secret.length < MIN_CHARS) continue
    for (const form of encodedForms(secret)) if (form.length >= MIN_CHARS && !forms.has(form)) forms.set(form, mark)
  }
  return [...forms].map(([text, mark]) => ({ text, mark }))
}

function isRedactable(text: string): boolean {
  return text !== '' && text !== HIDDEN && !isSecretMark(text)
}

/** The texts that would give a value away; a number counts by its digits. */
function texts(value: Json): string[] {
  if (typeof value === 'string') return [value, ...new Set([value.trim()])]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(texts)
}

interface Range {
  from: number
  to: number
  /** its replacement */
  mark: string
}

function occurrences(text: string, { text: part, mark }: Form): Range[] {
  const found: Range[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    found.push({ from: at, to: at + part.length, mark })
  return found
}

/** Finds the beginning of a secret at the end of a text that was cut off. */
function beginning(text: string, cut: number, { text: form, mark }: Form): Range[] {
  if (form.length <= HEAD_CHARS) return []
  const head = form.slice(0, HEAD_CHARS)
  const first = Math.max(0, cut - form.length + 1)
  for (let at = text.indexOf(head, first); at >= 0 && at < cut; at = text.indexOf(head, at + 1)) {
    if (form.startsWith(text.slice(at, cut))) return [{ from: at, to: cut, mark }]
  }
  return []
}

/** Merges touching ranges, so that nothing between two overlapping secrets remains. */
function without(text: string, ranges: Range[], kept: (text: string) => string): string {
  const merged: { to: number; from: number; marks: Set<string> }[] = []
  for (const { from, to, mark } of ranges.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || from > last.to) merged.push({ from, to, marks: new Set([mark]) })
    else {
      last.to = Math.max(last.to, to)
      last.marks.add(mark)
    }
  }
  let at = 0
  const shown = merged.map(({ from, to, marks }) => {
    const before = kept(text.slice(at, from))
    at = to
    return before + [...marks].join('')
  })
  return shown.join('') + kept(text.slice(at))
}

function mapped<Value extends Json>(
  value: Value,
  text: (text: string) => string,
  name: (name: string) => string,
  numbers?: ReadonlyMap<string, string>,
): Value {
  const map = (each: Json): Json => {
    if (typeof each === 'string') return text(each)
    if (typeof each === 'number') {
      const digits = String(each)
      return digits.length >= MIN_CHARS ? (numbers?.get(digits) ?? each) : each
    }
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return each.map(map)
    return Object.fromEntries(Object.entries(each).map(([key, item]) => [name(key), map(item)]))
  }
  return map(value) as Value
}
