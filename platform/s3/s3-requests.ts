import { Readable } from 'node:stream'
import type { EgressClient } from '#platform/egress/egress-client.ts'

/** What bounds the requests of one call. */
export interface S3Rules {
  egress: string[]
  signal: AbortSignal
  /** awaited when the target is resolved and checked; nothing is sent where it rejects */
  beforeSending?: () => Promise<void>
}

/** A request as the library has signed it. */
interface SignedRequest {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: unknown
}

interface Requests {
  handle(
    request: unknown,
  ): Promise<{ response: { statusCode: number; headers: Record<string, string>; body: Readable } }>
}

/** Sends the signed requests of the library through the egress rules. No redirect is followed: a signature is for one host. */
export function requestsThrough(egress: Pick<EgressClient, 'request'>, rules: S3Rules, max_bytes: number): Requests {
  return {
    async handle(request) {
      const { method, headers, body, ...target } = request as SignedRequest
      // these are set again with the request, to the values that were signed
      const { host: _host, 'content-length': _length, expect: _expect, ...signed } = headers
      const bytes = bytesOf(body)
      const answer = await egress.request({
        method,
        url: urlOf(target),
        headers: signed,
        max_bytes,
        max_redirects: 0,
        ...rules,
        ...(bytes !== undefined && { body: bytes }),
      })
      const { status: statusCode, headers: answered } = answer
      return { response: { statusCode, headers: answered, body: Readable.from([answer.body]) } }
    },
  }
}

function urlOf({ protocol, hostname, port, path, query = {} }: Omit<SignedRequest, 'method' | 'headers' | 'body'>) {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => (each === null ? escaped(name) : `${escaped(name)}=${escaped(each)}`)),
  )
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname
  return `${protocol}//${host}${port === undefined ? '' : `:${port}`}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`
}

/** Percent-encoding as it is signed (RFC 3986). */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null || body === '') return undefined
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return body
  throw new Error('a body of this kind is not sent')
}
