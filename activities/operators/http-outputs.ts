import type { Redirect } from '#core/egress/redirect.ts'
import { HIDDEN } from '#core/egress/secret-name.ts'
import type { Json } from '#core/json.ts'
import type { EgressResponse } from '#platform/egress/egress-client.ts'
import { cleanJson, cleanText } from './clean-json.ts'

export type HttpOutputs = {
  status: number
  headers: Record<string, string>
  json?: Json
  text?: string
  ms: number
  /** what was followed to come to this answer */
  redirects?: Redirect[]
}

/** A response as a step's outputs: `json` when it is JSON, `text` when it is UTF-8, neither for other bytes. */
export function httpOutputs(response: EgressResponse): HttpOutputs {
  const text = decode(response.body)
  const json = text === undefined || !isJson(response) ? undefined : parse(text)
  return {
    status: response.status,
    headers: shown(response.headers),
    ...(json === undefined ? {} : { json }),
    ...(text === undefined ? {} : { text: cleanText(text) }),
    ms: response.ms,
    ...(response.redirects.length === 0 ? {} : { redirects: response.redirects }),
  }
}

function isJson(response: EgressResponse): boolean {
  return /^application\/([^;]+\+)?json\b/i.test(response.headers['content-type'] ?? '')
}

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

function parse(text: string): Json | undefined {
  try {
    return cleanJson(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Session cookies are credentials: they do not enter a run's record. */
function shown(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name === 'set-cookie' ? HIDDEN : cleanText(value)]),
  )
}
