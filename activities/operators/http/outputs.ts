import { DEFAULT_MAX_BYTES, HIDDEN, type Redirect } from '#core/egress/url.ts'
import type { Json } from '#core/json/json.ts'
import { parseForeignJson, UNLIMITED } from '#core/json/parse-json.ts'
import type { EgressResponse } from '#platform/egress/egress-client.ts'
import { answerText } from '../answer-text.ts'
import { cleanJson, cleanText } from '../clean-json.ts'

export type HttpOutputs = {
  status: number
  headers: Record<string, string>
  json?: Json
  text?: string
  /** why there is no text, or no JSON where there should be */
  problem?: string
  ms: number
  /** what was followed to come to this answer */
  redirects?: Redirect[]
}

/**
 * A response as a step's outputs: `json` when it is JSON, `text` when it is text, by its Content-Encoding and charset; else `problem` says
 * why not. Numbers of the JSON that would be rounded are text. The limit of the answer also holds for what it unpacks to.
 */
export function httpOutputs(response: EgressResponse, most_bytes = DEFAULT_MAX_BYTES): HttpOutputs {
  const { text, problem } = answerText(response.body, response.headers, most_bytes)
  const read = text === undefined || text === '' || !isJson(response) ? {} : parse(text)
  return {
    status: response.status,
    headers: shown(response.headers),
    ...read,
    ...(problem === undefined ? {} : { problem }),
    ...(text === undefined ? {} : { text: cleanText(text) }),
    ms: response.ms,
    ...(response.redirects.length === 0 ? {} : { redirects: response.redirects }),
  }
}

function isJson(response: EgressResponse): boolean {
  return /^application\/([^;]+\+)?json\b/i.test(response.headers['content-type'] ?? '')
}

function parse(text: string): { json: Json } | { problem: string } {
  try {
    const json = cleanJson(parseForeignJson(text, UNLIMITED))
    return json === undefined ? { problem: 'The JSON of the answer is nested too deeply.' } : { json }
  } catch {
    return { problem: 'The answer says that it is JSON, and it is not.' }
  }
}

/** Session cookies are credentials: they do not enter a run's record. */
function shown(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name === 'set-cookie' ? HIDDEN : cleanText(value)]),
  )
}
