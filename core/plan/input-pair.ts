import { DomainError } from '../errors.ts'
import type { Json } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import { visibleJson } from '../text/visible-text.ts'

/** What ends a quoted word in some shell, is not seen, or looks like something else: never written as it is. */
const NEVER_BARE = /['\\\p{Cc}\p{Cs}]|(?! )\p{Zs}/u
const OTHER_SPACES = /(?! )\p{Zs}/gu

/**
 * The value of `key=value`: one that is JSON counts as that, anything else as text; so does a number that would be rounded. Throws
 * `validation_failed` for one inside of the JSON.
 */
export function inputOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof DomainError && error.details.errors?.[0]?.pointer !== '') throw error
    return text
  }
}

/** The text that `inputOf` reads as this value, and that may stand between single quotes in any shell; undefined where there is none. */
export function inputText(value: Json): string | undefined {
  if (typeof value === 'string' && isPlain(value) && readsAs(value, value)) return value
  const text = visibleJson(value)
    .replaceAll("'", '\\u0027')
    .replaceAll('\\\\', '\\u005c')
    .replace(OTHER_SPACES, (space) => `\\u${space.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return readsAs(text, value) ? text : undefined
}

function readsAs(text: string, value: Json): boolean {
  try {
    return JSON.stringify(inputOf(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}

/** It shows what it is, and may stand between single quotes in any shell. */
export function isPlain(text: string): boolean {
  return !NEVER_BARE.test(text) && JSON.stringify(text) === visibleJson(text)
}
