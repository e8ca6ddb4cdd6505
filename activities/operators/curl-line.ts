import { redactUrl } from '#core/egress/redact-url.ts'
import { HIDDEN, isSecretName } from '#core/egress/secret-name.ts'
import type { Json } from '#core/json.ts'

const MAX_BODY_CHARS = 4_000

export interface ShownRequest {
  method: string
  url: string
  headers: Record<string, string>
  json?: Json
  body?: string
}

/** Headers as people may see them. */
export function redactHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? HIDDEN : value]))
}

/** A JSON body as people may see it: values of fields that are named like secrets are hidden. */
export function redactJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(redactJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecretName(name) ? HIDDEN : redactJson(item)]),
  )
}

/** The request as a command line for an approver, with secrets hidden. */
export function curlLine(request: ShownRequest): string {
  const parts = ['curl', '-X', request.method, quote(redactUrl(request.url))]
  for (const [name, value] of Object.entries(redactHeaders(request.headers)))
    parts.push('-H', quote(`${name}: ${value}`))
  const body = request.json === undefined ? request.body : JSON.stringify(redactJson(request.json))
  if (body !== undefined) parts.push('--data', quote(shorten(body)))
  return parts.join(' ')
}

function shorten(body: string): string {
  return body.length <= MAX_BODY_CHARS ? body : `${body.slice(0, MAX_BODY_CHARS)}… (${body.length} characters)`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
