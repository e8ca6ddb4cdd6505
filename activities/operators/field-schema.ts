import { z } from 'zod'
import type { Json, JsonObject } from '#core/json.ts'

/** Operator input is JSON already when it reaches a parser; this only names the type. */
export const JsonValue = z.unknown() as z.ZodType<Json>
export const JsonRecord = z.record(z.string(), JsonValue) as z.ZodType<JsonObject>

export const Duration = z.string().regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'a duration such as 250ms, 30s, 5m, 1.5h or 7d')

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
  .describe('Request headers; secrets in them are hidden wherever they are shown')

export const MaxBytes = z
  .int()
  .min(1)
  .max(64 * 1024 * 1024)
  .describe('Largest response body accepted, in bytes; default 1 MiB')
