import { isObject, type JsonObject } from '#core/json/json.ts'
import { REASON_MEMBERS } from '#core/run/finding.ts'
import { cutText } from '#core/text/text.ts'
import type { HttpOutputs } from './outputs.ts'

const REASON_CHARS = 200
/** a shorter one may be a secret that the redactor knows only where it is alone */
const SHORTEST_REASON = 4

/**
 * Returns the first line of what the target says about its failure; undefined for an empty answer, a page, or JSON without such a
 * member. Only whole lines and cuts that are marked: the redactor finds a secret in these alone.
 */
export function failureReason({ json, text = '' }: HttpOutputs): string | undefined {
  const words = isObject(json) ? memberText(json) : text.trimStart().startsWith('<') ? '' : text
  const [line = '', ...more] = words.trim().split(/\r?\n/)
  if (line.length < SHORTEST_REASON) return undefined
  return line.length > REASON_CHARS ? `${cutText(line, REASON_CHARS)}…` : more.length === 0 ? line : `${line}…`
}

function memberText(json: JsonObject): string {
  const found = REASON_MEMBERS.map((name) => json[name]).find(
    (value) => isObject(value) || (typeof value === 'string' && value.trim() !== ''),
  )
  return typeof found === 'string' ? found : isObject(found) ? memberText(found) : ''
}
