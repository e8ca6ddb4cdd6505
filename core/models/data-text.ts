import type { Json } from '../json/json.ts'
import { visibleJson } from '../text/visible-text.ts'

/** Matches characters that could end a block of data, or be mistaken for its end, and `&`. */
const MARKUP = /[<>&\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008\u3009\ufe64\ufe65\uff1c\uff1e]/g

/**
 * Formats a value as JSON that stays data: nothing in it can close the block around it, begin another one, or hide from the reader. It
 * loses nothing.
 */
export function dataText(value: Json): string {
  return withoutMarkup(visibleJson(value))
}

/** The same for text that is JSON already. */
export function withoutMarkup(json: string): string {
  return json.replace(MARKUP, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A value from outside within a sentence. */
export function inlineData(value: Json): string {
  return `<data>${dataText(value)}</data>`
}

/** Values from outside, each with its name, a line each. The names are their own: they are escaped as the values are. */
export function dataBlock(values: { [name: string]: Json }): string {
  const lines = Object.entries(values).map(([name, value]) => `${dataText(name)}: ${dataText(value)}`)
  return `<data>\n{\n${lines.join(',\n')}\n}\n</data>`
}

/** The address of a model as people see it: without user, password, query and fragment. */
export function shownAddress(text: string): string {
  if (!URL.canParse(text)) return ''
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}
