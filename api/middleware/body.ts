import type { Context, MiddlewareHandler } from 'hono'
import { DomainError } from '#core/errors.ts'
import type { ApiEnv } from '../context.ts'

const MAX_DEPTH = 64
/** a full batch of a thousand alerts has some twenty keys each */
const MAX_KEYS = 50_000

/** Reads a body no further than its limit, whatever its headers claim, and refuses JSON that is too deep or too wide. */
export function readBody(limits: { max_bytes: number; expects: boolean }): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const declared = Number(c.req.header('content-length') ?? 0)
    if (declared > limits.max_bytes) throw tooLarge(limits.max_bytes)
    const { text, bytes } = await readText(c.req.raw.body, limits.max_bytes)
    if (text !== '' && limits.expects) {
      const media = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
      if (isJson(media) || isSns(media, c.req.header('x-amz-sns-message-type'))) {
        const value = parse(text)
        checkShape(value)
        c.set('body_json', value)
      }
    }
    if (text === '' && limits.expects && c.req.header('content-type') === undefined) declareJson(c)
    // an empty body is one that lacks every field: the schema says which of them matter
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text === '' ? '{}' : text) })
    c.set('body_text', text)
    c.set('body_bytes', bytes)
    await next()
  }
}

/** Nothing was sent, so there is no type to refuse: what is missing is said field by field. */
function declareJson(c: Context<ApiEnv>): void {
  const headers = new Headers(c.req.raw.headers)
  headers.set('content-type', 'application/json')
  c.req.raw = new Request(c.req.url, { method: c.req.method, headers, signal: c.req.raw.signal })
}

async function readText(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<{ text: string; bytes: Uint8Array }> {
  if (body === null) return { text: '', bytes: new Uint8Array() }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body.getReader()
  // the text loses a byte order mark; a signature is over every byte
  const chunks: Uint8Array[] = []
  let text = ''
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { text: text + decoder.decode(), bytes: Buffer.concat(chunks) }
      size += value.byteLength
      if (size > maxBytes) {
        await reader.cancel()
        throw tooLarge(maxBytes)
      }
      chunks.push(value)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new DomainError('malformed_body', 'The body is not complete UTF-8 text.', {}, { cause: error })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 200) : 'not JSON'
    throw new DomainError('malformed_body', `The body is not JSON: ${message}`, {}, { cause: error })
  }
}

/** Refuses what is too deep, too wide or no text; throws `malformed_body`. An explicit stack: the check itself must survive what it refuses. */
export function checkShape(root: unknown): void {
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }]
  let keys = 0
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { value, depth } = top
    if (typeof value === 'string') refuseUnstorable(value)
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH)
      throw new DomainError('malformed_body', `The body is nested deeper than ${MAX_DEPTH} levels.`)
    if (Object.hasOwn(value, '__proto__'))
      throw new DomainError('malformed_body', 'The body has a key named __proto__.')
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (!Array.isArray(value)) {
      keys += members.length
      for (const key of Object.keys(value)) refuseUnstorable(key)
    }
    if (keys > MAX_KEYS) throw new DomainError('malformed_body', `The body has more than ${MAX_KEYS} keys.`)
    for (const member of members) stack.push({ value: member, depth: depth + 1 })
  }
}

/** Half a surrogate pair and U+0000 are not interchangeable text (RFC 7493) and cannot be stored. */
function refuseUnstorable(text: string): void {
  if (text.includes('\u0000') || !text.isWellFormed()) {
    throw new DomainError('malformed_body', 'The body holds text that is not valid Unicode, or U+0000.')
  }
}

function isJson(media: string): boolean {
  return /^application\/([\w.-]+\+)?json$/.test(media)
}

/** SNS sends its JSON as text and says so in a header. */
function isSns(media: string, messageType: string | undefined): boolean {
  return media === 'text/plain' && messageType !== undefined
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body is larger than ${maxBytes} bytes.`, { max_bytes: maxBytes })
}
