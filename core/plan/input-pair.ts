import { DomainError } from '../errors.ts'
import type { Json } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'
import { visibleJson } from '../text/visible-text.ts'

/** Characters that end a quoted word in some shell, are invisible, or look like others: always escaped. */
const NEVER_BARE = /['\\\p{Cc}\p{Cs}]|(?! )\p{Zs}/u
const OTHER_SPACES = /(?! )\p{Zs}/gu

/**
 * Reads the value of `key=value`: JSON where it is that, else text; a number that would be rounded is text. Throws `validation_failed` for
 * one inside of the JSON.
 */
export function inputOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof DomainError && error.details.errors?.[0]?.pointer !== '') throw error
    return text
  }
}

/** Returns the text that `inputOf` reads as this value, and that may be put in single quotes in any shell; undefined where there is none. */
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

/** True for text that is readable as it is, and may be put in single quotes in any shell. */
export function isPlain(text: string): boolean {
  return !NEVER_BARE.test(text) && JSON.stringify(text) === visibleJson(text)
}
