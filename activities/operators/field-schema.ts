import { z } from 'zod'
import { HOST } from '#core/connection/kinds/define-kind-schema.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json, JsonObject } from '#core/json/json.ts'

/** Operator input is JSON already when it reaches a parser; this only names the type. */
export const JsonValue = z.unknown() as z.ZodType<Json>
export const JsonRecord = z.record(z.string(), JsonValue) as z.ZodType<JsonObject>

/** JSON as it is sent: its members in one order, so that what is shown before a wait is what is sent after it. */
export function inOneOrder(value: Json): Json {
  return JSON.parse(canonicalText(value))
}

export const Duration = z.string().regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'a duration such as 250ms, 30s, 5m, 1.5h or 7d')

export const Host = z.string().max(253).regex(HOST, 'a host name, an IPv4 address, or an IPv6 address in brackets')

export const ConnectionId = z.string().min(1).describe('Name of a connection of the environment')

/** Headers that the client or the engine sets; a template that could set them could smuggle a second request. */
const RESERVED_HEADERS = new Set(
  'connection content-length expect host idempotency-key keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

export const Headers = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a header name')
      .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), 'this header is set by the engine'),
    z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'not a header value'),
  )
  .describe('Request headers; secret inputs in them are hidden wherever they are shown')
  .refine((headers) => new Set(lowerCased(headers)).size === Object.keys(headers).length, 'two headers of one name')
  .transform((headers) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.toLowerCase(),
        value.replace(/^[\t ]+|(?<![\t ])[\t ]+$/g, ''),
      ]),
    ),
  )

function lowerCased(headers: Record<string, string>): string[] {
  return Object.keys(headers).map((name) => name.toLowerCase())
}

export const MaxBytes = z
  .int()
  .min(1)
  .max(64 * 1024 * 1024)
  .describe('Largest response body accepted, in bytes; default 1 MiB')
