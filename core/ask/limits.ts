import { canonicalText } from '../json/canonical.ts'
import { isObject, type Json } from '../json/json.ts'
import { cutText } from '../text/text.ts'
import { visible } from '../text/visible-text.ts'

const MAX_TEXT = 500
const MAX_ITEMS = 40
const MAX_DEPTH = 8

/** Formats a result for storage and for the model: canonical JSON of at most so many characters, with invisible characters escaped. */
export function shownResult(value: unknown, most: number, mostText: number = MAX_TEXT): string {
  const text = canonicalText(cut(value as Json, 0, mostText))
  return text.length <= most ? text : canonicalText({ cut: true, excerpt: cutText(text, most) })
}

function cut(value: Json, depth: number, mostText: number): Json {
  if (typeof value === 'string') return visible(value.length > mostText ? `${cutText(value, mostText)}… (cut)` : value)
  if (depth >= MAX_DEPTH) return typeof value === 'object' && value !== null ? '… (cut)' : value
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((each) => cut(each, depth + 1, mostText))
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, each]) => each !== null && each !== undefined)
  return Object.fromEntries(
    members.slice(0, MAX_ITEMS).map(([name, each]) => [visible(name), cut(each, depth + 1, mostText)]),
  )
}

/** The reason why an answer is backed by no results. */
export type Ungrounded = 'nothing_found' | 'over_budget'

/** The exact answer for each reason. */
export const UNGROUNDED: Record<Ungrounded, string> = {
  nothing_found:
    'I have no answer that rests on what I could look up here. Ask about runs, gates, costs, schedules, pipelines, packs or the audit log of this workspace.',
  over_budget:
    'This turn may cost no more, and there is no answer yet that rests on what was looked up. Ask for less at once.',
}

/** Most calls of the model within a turn; the last one may call no tool. */
export const MAX_ROUNDS = 6
/** Most tool calls of a turn, including refused ones. */
export const MAX_CALLS = 12
/** Most tokens of one answer of the model. */
export const ANSWER_TOKENS = 1_000
/** Earlier turns of the thread that the model is given. */
export const REMEMBERED_TURNS = 5
export const SHOWN_TURNS = 100
/** The longest result of a tool that the model is shown, in characters. */
export const MAX_RESULT = 6_000
/** The most characters of chunks that one search shows the model. */
export const MAX_CHUNKS_CHARS = 12_000
/** Most characters of results in a turn; results beyond that are refused. */
export const MAX_SHOWN_CHARS = MAX_CALLS * MAX_RESULT
/** The longest arguments of a call. */
export const MAX_ARGUMENTS = 4_000
