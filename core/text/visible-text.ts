import type { Json } from '../json/json.ts'

/**
 * Characters that are invisible and change the text for a reader: controls, directions, joiners, tags, fillers, halves of a pair, private
 * use.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu

/** Spaces other than the ordinary one: harmless in prose, another argument in a command. */
const OTHER_SPACES = /(?! )\p{Zs}/gu

/** Matches text that could be mistaken for an escape or a secret mark. */
const AMBIGUOUS = /\\(?=u\{)|<(?=secret:)/g

/** Text for people: what would not be seen is shown as its escape, `\u{202e}`; lines and tabs stay. A second time changes nothing. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (found) => (found === '\n' || found === '\t' ? found : escaped(found)))
}

/** The same for text that has one line. */
export function visibleLine(text: string): string {
  return text.replace(INVISIBLE, escaped)
}

/** Returns visible text that can be read back: a text that only looks like a space, an escape or a secret mark is escaped itself. */
export function visibleExactly(text: string): string {
  return visible(text.replace(AMBIGUOUS, escaped).replace(OTHER_SPACES, escaped))
}

/** Formats one line of JSON, with such characters escaped as JSON does it: harmless to print, and it loses nothing. */
export function visibleJson(value: unknown): string {
  return visibleJsonText(JSON.stringify(value))
}

/** The same for a value that is JSON already. */
export function visibleJsonText(json: string): string {
  return json.replace(INVISIBLE, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
}

/** Every text in a value made visible. */
export function visibleData<Value extends Json>(value: Value): Value {
  const map = (each: Json): Json => {
    if (typeof each === 'string') return visible(each)
    if (typeof each !== 'object' || each === null) return each
    if (Array.isArray(each)) return each.map(map)
    return Object.fromEntries(Object.entries(each).map(([name, item]) => [visible(name), map(item)]))
  }
  return map(value) as Value
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
