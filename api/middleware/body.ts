import { setImmediate } from 'node:timers/promises'
import type { Context } from 'hono'
import { DomainError } from '#core/errors.ts'
import { parseJson } from '#core/json/parse-json.ts'
import { isStorableText, parseDelivery, storableText } from '#core/json/storable-json.ts'
import type { ApiContext, ApiEnv } from '../context.ts'
import { readBytes } from '../read-bytes.ts'

/** The checks of a larger body are not made in one go: others are answered between them. */
const LARGE_BYTES = 262_144
/** leaves out a byte order mark, which is no part of a text; a signature is over every byte */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a body up to its limit, whatever its headers claim, and refuses JSON that is too deep or has too many members. The fault of a
 * `foreign` one goes to `body_refusal`: it is recorded before it is answered.
 */
export async function readBody(
  c: ApiContext,
  limits: { max_bytes: number; expects: boolean; foreign: boolean },
): Promise<void> {
  const bytes = await readBytes(c, limits.max_bytes)
  c.set('body_bytes', bytes)
  if (!limits.foreign) return await readValue(c, bytes, limits)
  await readValue(c, bytes, limits).catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error
    c.set('body_refusal', error)
    c.set('body_text', new TextDecoder().decode(bytes))
    // nothing is validated that could not be read
    Object.assign(c.req, { json: () => Promise.resolve(null) })
  })
}

async function readValue(
  c: ApiContext,
  bytes: Uint8Array,
  { expects, foreign }: { expects: boolean; foreign: boolean },
): Promise<void> {
  const text = textOf(bytes)
  const type = c.req.header('content-type')
  if (text === '' && expects && type === undefined) declareJson(c)
  // an empty body lacks every field: the schema tells which are required
  const read = text === '' ? '{}' : text
  Object.assign(c.req.bodyCache, { text: Promise.resolve(read) })
  c.set('body_text', text)
  const media = type?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (text === '' || !expects || !(isJson(media) || isSns(media, c))) return
  const value = parse(text, foreign ? parseDelivery : parseJson)
  if (bytes.length > LARGE_BYTES) await setImmediate()
  if (!foreign) checkText(value)
  if (bytes.length > LARGE_BYTES) await setImmediate()
  c.set('body_json', value)
  // the checked value is validated, without a second parse
  Object.assign(c.req, { json: () => Promise.resolve(value) })
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new DomainError('malformed_body', 'The body is not UTF-8 text.', {}, { cause: error })
  }
}

/** An empty body has no type to refuse: missing fields are reported one by one. */
function declareJson(c: Context<ApiEnv>): void {
  const headers = new Headers(c.req.raw.headers)
  headers.set('content-type', 'application/json')
  c.req.raw = new Request(c.req.url, { method: c.req.method, headers, signal: c.req.raw.signal })
}

function parse(text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text)
  } catch (error) {
    if (error instanceof DomainError) throw error
    const message = error instanceof Error ? storableText(error.message.slice(0, 200)) : 'not JSON'
    throw new DomainError('malformed_body', `The body is not JSON: ${message}`, {}, { cause: error })
  }
}

/** Refuses text that cannot be stored unchanged; throws `malformed_body`. */
function checkText(value: unknown): void {
  if (typeof value === 'string') refuseUnstorable(value)
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__')) throw new DomainError('malformed_body', 'The body has a key named __proto__.')
  for (const [key, member] of Object.entries(value)) {
    refuseUnstorable(key)
    checkText(member)
  }
}

/** Half a surrogate pair and U+0000 are not interchangeable text (RFC 7493) and cannot be stored. */
function refuseUnstorable(text: string): void {
  if (!isStorableText(text)) {
    throw new DomainError('malformed_body', 'The body holds text that is not valid Unicode, or U+0000.')
  }
}

function isJson(media: string): boolean {
  return media === 'application/json' || /^application\/[\w.-]+\+json$/.test(media)
}

/** SNS sends JSON as text, with a header of its own. */
function isSns(media: string, c: ApiContext): boolean {
  return media === 'text/plain' && c.req.header('x-amz-sns-message-type') !== undefined
}
