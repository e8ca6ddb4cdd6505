import { DEFAULT_MAX_BYTES, type Redirect, redactUrl, redirectLocation } from '#core/egress/url.ts'
import { OperatorError } from '#core/operator.ts'
import { retryAfterMs } from '#core/time/retry-after.ts'
import { type Lookup, resolveTarget, systemLookup } from './resolve-target.ts'
import { type Hop, type HopResponse, nextHop, sendHop } from './send-hop.ts'
import { type Handshake, type HandshakeRequest, tlsHandshake } from './tls-handshake.ts'

const DEFAULT_MAX_REDIRECTS = 5

export interface EgressRequest {
  method: string
  url: string
  headers?: Record<string, string>
  body?: Uint8Array
  /** targets that the environment opens beyond public addresses: CIDR blocks, `loopback`, host names */
  egress: string[]
  /** of the response body; default 1 MiB */
  max_bytes?: number
  /** of a read, default 5; 0 returns a redirect as the answer, as a write always does */
  max_redirects?: number
  signal?: AbortSignal
  /** awaited when the target is resolved and checked; nothing is sent where it rejects */
  beforeSending?: () => Promise<void>
}

export interface EgressResponse extends HopResponse {
  ms: number
  /** followed redirects, in order, in a form for records */
  redirects: Redirect[]
  /** the delay that the target asks for */
  retry_after_ms?: number | undefined
}

/**
 * An operator's only way to the network. Failures are OperatorErrors whose `details.sent` tells whether a target may have seen the request:
 * `egress_denied`, `unreachable`, `connection_lost`, `timeout`, `aborted`, `response_too_large`, `too_many_redirects`, `invalid_request`.
 */
export interface EgressClient {
  request(request: EgressRequest): Promise<EgressResponse>
  /**
   * Resolves and checks a url without connecting; answers the addresses that a request would use. Rejects with `egress_denied`,
   * `unreachable`, or the reason of the signal.
   */
  resolve(request: { url: string; egress: string[]; signal?: AbortSignal }): Promise<{ addresses: string[] }>
  /** Resolves and checks a host, and reads the certificates that it shows. Rejects with `egress_denied`, `unreachable` or `aborted`. */
  handshake(request: HandshakeRequest): Promise<Handshake>
}

/**
 * Creates a client that resolves once, checks every address and pins the connection. A read follows redirects, each of them checked again;
 * a write goes only where it was sent.
 */
export function createEgressClient(options: { lookup?: Lookup } = {}): EgressClient {
  const lookup = options.lookup ?? systemLookup
  return {
    request: (request) => follow(request, lookup),
    async resolve({ url, egress, signal }) {
      const target = await resolveTarget(url, egress, lookup, signal)
      return { addresses: target.addresses.map(({ address }) => address) }
    },
    async handshake(request) {
      const { host, port, egress, signal } = request
      return await tlsHandshake(await resolveTarget(`https://${host}:${port}/`, egress, lookup, signal), request)
    },
  }
}

async function follow(request: EgressRequest, lookup: Lookup): Promise<EgressResponse> {
  const began = performance.now()
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const maxRedirects = isRead ? (request.max_redirects ?? DEFAULT_MAX_REDIRECTS) : 0
  const redirects: Redirect[] = []
  let hop: Hop = {
    method: request.method,
    url: request.url,
    headers: request.headers ?? {},
    ...(request.body !== undefined && { body: request.body }),
  }
  let sent = false
  const limits = {
    max_bytes: request.max_bytes ?? DEFAULT_MAX_BYTES,
    signal: request.signal,
    onSent: () => {
      sent = true
    },
  }
  try {
    for (;;) {
      request.signal?.throwIfAborted()
      const target = await resolveTarget(hop.url, request.egress, lookup, request.signal)
      if (redirects.length === 0) await request.beforeSending?.()
      const response = await sendHop(target, hop, limits)
      const location =
        maxRedirects === 0 ? undefined : redirectLocation(hop.url, response.status, response.headers['location'])
      if (location === undefined || !URL.canParse(location)) {
        const retry_after_ms = retryAfterMs(response.headers, Date.now())
        return { ...response, ms: Math.round(performance.now() - began), redirects, retry_after_ms }
      }
      redirects.push({ status: response.status, location: redactUrl(location) })
      if (redirects.length > maxRedirects) {
        throw new OperatorError('too_many_redirects', `more than ${maxRedirects} redirects`)
      }
      hop = nextHop(hop, location)
    }
  } catch (error) {
    throw asOperatorError(error, { url: redactUrl(hop.url), sent, redirects, signal: request.signal })
  }
}

function asOperatorError(
  error: unknown,
  at: { url: string; sent: boolean; redirects: Redirect[]; signal: AbortSignal | undefined },
): OperatorError {
  const details = { url: at.url, sent: at.sent, ...(at.redirects.length === 0 ? {} : { redirects: at.redirects }) }
  if (error instanceof OperatorError) {
    return new OperatorError(error.code, error.message, {
      retryable: error.retryable,
      cause: error.cause,
      details: { ...error.details, ...details },
    })
  }
  if (at.signal?.aborted === true) {
    const timedOut = at.signal.reason instanceof DOMException && at.signal.reason.name === 'TimeoutError'
    const [code, message] = timedOut ? (['timeout', 'took too long'] as const) : (['aborted', 'was stopped'] as const)
    return new OperatorError(code, `the request to ${at.url} ${message}`, { retryable: true, cause: error, details })
  }
  const reason = error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error)
  if (/^(ERR_INVALID|ERR_HTTP_INVALID|ERR_UNESCAPED)/.test(reason)) {
    return new OperatorError('invalid_request', `the request cannot be sent: ${reason}`, { cause: error, details })
  }
  const code = at.sent ? 'connection_lost' : 'unreachable'
  return new OperatorError(code, `${at.url}: ${reason}`, { retryable: true, cause: error, details })
}
