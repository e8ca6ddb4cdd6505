import { canonicalText } from '../json/canonical-text.ts'
import { isObject, type Json } from '../json/json.ts'
import { cutText } from '../text/text.ts'
import { visible } from '../text/visible-text.ts'

const MOST_TEXT = 500
const MOST_ITEMS = 40
const MOST_DEPTH = 8

/** A result as it is stored and as the model is shown it: canonical JSON of at most so many characters, in which nothing is invisible. */
export function shownResult(value: unknown, most: number, mostText: number = MOST_TEXT): string {
  const text = canonicalText(cut(value as Json, 0, mostText))
  return text.length <= most ? text : canonicalText({ cut: true, excerpt: cutText(text, most) })
}

function cut(value: Json, depth: number, mostText: number): Json {
  if (typeof value === 'string') return visible(value.length > mostText ? `${cutText(value, mostText)}… (cut)` : value)
  if (depth >= MOST_DEPTH) return typeof value === 'object' && value !== null ? '… (cut)' : value
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((each) => cut(each, depth + 1, mostText))
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return Object.fromEntries(
    members.slice(0, MOST_ITEMS).map(([name, each]) => [visible(name), cut(each, depth + 1, mostText)]),
  )
}
