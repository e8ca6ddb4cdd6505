import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { OperatorError } from '#core/operator.ts'
import type { ResolvedAddress, Target } from './resolve-target.ts'

export interface HopResponse {
  status: number
  headers: Record<string, string>
  body: Buffer
  remote_address: string
}

export interface HopLimits {
  max_bytes: number
  signal?: AbortSignal | undefined
  /** called once the connection is open: from here on the target may have acted */
  onSent(): void
}

/** Sends one request over a connection of its own to a checked address. Nothing is retried or followed. */
export function sendHop(target: Target, hop: Hop, limits: HopLimits): Promise<HopResponse> {
  const secure = target.url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(target.url, {
      agent: false,
      method: hop.method,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'svc', ...hop.headers, ...lengthOf(hop) },
      lookup: pinned(target.addresses),
      signal: limits.signal,
    })
    request.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', limits.onSent))
    request.on('error', reject)
    request.on('response', (response) => {
      if (hop.method === 'HEAD') {
        // it has no body; what some servers send all the same breaks nothing once this is answered
        resolve(answer(response, Buffer.alloc(0)))
        request.destroy()
        return
      }
      readBody(response, limits.max_bytes)
        .then((body) => resolve(answer(response, body)), reject)
        .finally(() => request.destroy())
    })
    request.end(hop.body)
  })
}

/** Returns a lookup that can only answer with checked addresses, whatever DNS returns now. */
export function pinned(addresses: ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const wanted = addresses.filter(({ family }) => !options.family || family === options.family)
    const [first] = wanted
    if (options.all) callback(null, wanted)
    else if (first === undefined) callback(new Error('no checked address of this family'), '')
    else callback(null, first.address, first.family)
  }
}

function lengthOf(hop: Hop): Record<string, string> {
  if (hop.body !== undefined) return { 'content-length': String(hop.body.byteLength) }
  return ['GET', 'HEAD', 'OPTIONS'].includes(hop.method) ? {} : { 'content-length': '0' }
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers['content-length']) > maxBytes) throw tooLarge(response, maxBytes)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes: Buffer = chunk
    size += bytes.byteLength
    if (size > maxBytes) throw tooLarge(response, maxBytes)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function tooLarge(response: IncomingMessage, maxBytes: number): OperatorError {
  response.destroy()
  return new OperatorError('response_too_large', `the response is larger than ${maxBytes} bytes`, {
    details: { status: response.statusCode ?? 0, max_bytes: maxBytes, sent: true },
  })
}

function answer(response: IncomingMessage, body: Buffer): HopResponse {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return { status: response.statusCode ?? 0, headers, body, remote_address: response.socket.remoteAddress ?? '' }
}

/** The request of one hop. */
export interface Hop {
  method: string
  url: string
  headers: Record<string, string>
  body?: Uint8Array
}

/** Headers that any origin may receive. Every other header was meant for the origin of the request. */
const FOR_ANYONE = new Set(['accept', 'accept-language', 'accept-encoding', 'user-agent'])

/** The next request of a read that was redirected (Fetch standard, HTTP-redirect fetch). */
export function nextHop(hop: Hop, location: string): Hop {
  if (new URL(location).origin === new URL(hop.url).origin) return { ...hop, url: location }
  const headers = Object.entries(hop.headers).filter(([name]) => FOR_ANYONE.has(name.toLowerCase()))
  return { method: hop.method, url: location, headers: Object.fromEntries(headers) }
}
