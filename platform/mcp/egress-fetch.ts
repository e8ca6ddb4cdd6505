import type { FetchLike } from '@modelcontextprotocol/client'
import { createParser } from 'eventsource-parser'
import { isObject, type JsonObject } from '#core/json/json.ts'
import { foreignJsonIn } from '#core/json/parse-json.ts'
import { storableJson } from '#core/json/storable-json.ts'
import { OperatorError } from '#core/operator.ts'
import type { EgressClient, EgressRequest, EgressResponse } from '../egress/egress-client.ts'

const MAX_BYTES = 64 * 1024
const END_WITHIN_MS = 2_000
/** Asks what a server speaks; one of an earlier revision does not know it, and refuses it in its own way. */
const PROBE = 'server/discover'

/** How the requests of one session go out. */
export interface SessionRules {
  egress: string[]
  signal: AbortSignal
  /** limits of requests, by the method of their message */
  limits: Readonly<Record<string, Pick<EgressRequest, 'max_bytes' | 'beforeSending'>>>
}

/**
 * A `fetch` for the transport of the official client. Each message goes out once, by the egress client, and what comes back is its answer
 * alone, read as all JSON from outside. The client is asked for nothing: no stream is opened for it, and it answers no request of a server.
 */
export function createEgressFetch(egress: Pick<EgressClient, 'request'>, rules: SessionRules): FetchLike {
  return async (url, { method = 'GET', headers, body } = {}) => {
    if (method === 'GET') return new Response(null, { status: 405 })
    const message: JsonObject = typeof body === 'string' ? JSON.parse(body) : {}
    const asked = String(message['method'])
    const response = await egress.request({
      method,
      url: String(url),
      headers: Object.fromEntries(new Headers(headers)),
      egress: rules.egress,
      ...(typeof body === 'string' && { body: Buffer.from(body) }),
      signal: method === 'DELETE' ? AbortSignal.timeout(END_WITHIN_MS) : rules.signal,
      max_bytes: MAX_BYTES,
      ...rules.limits[asked],
    })
    if (asked === PROBE && isRefusal(response)) return new Response(response.body, { status: response.status })
    mustSucceed(response)
    if (message['id'] === undefined) return new Response(null, { status: 202 })
    const answer = messagesIn(response).find(
      (each) => each['id'] === message['id'] && ('result' in each || 'error' in each),
    )
    if (answer === undefined && asked === PROBE) return new Response(null, { status: 400 })
    if (answer === undefined)
      throw new OperatorError('answer_invalid', `the server does not answer ${asked} as MCP does`, {
        details: { sent: true },
      })
    const session = response.headers['mcp-session-id']
    return Response.json(answer, { headers: session === undefined ? {} : { 'mcp-session-id': session } })
  }
}

function isRefusal({ status }: EgressResponse): boolean {
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status)
}

function mustSucceed({ status, retry_after_ms }: EgressResponse): void {
  if (status >= 200 && status < 300) return
  const waits = status === 429 || (status === 503 && retry_after_ms !== undefined)
  throw new OperatorError('http_status', `the server answered ${status}`, {
    retryable: waits || status >= 500,
    retry_after_ms,
    details: { status, sent: status >= 500 && !waits },
  })
}

/** Numbers that the client's own JSON reader would round are text with the same digits here. */
function messagesIn({ body, headers }: EgressResponse): JsonObject[] {
  const text = body.toString('utf8')
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '')
  return (isStream ? eventsIn(text) : [text]).map((each) => storableJson(foreignJsonIn(each))).filter(isObject)
}

function eventsIn(stream: string): string[] {
  const events: string[] = []
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) })
  parser.feed(stream)
  return events
}
