import { httpLogin } from '#core/connection/kinds/over-http-schema.ts'
import { isObject, type Json, type JsonObject } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import type { EgressClient } from '../egress/egress-client.ts'
import { messageIn } from './read-message.ts'

/** Revisions of the protocol with a handshake; the first is asked for. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const
const MOST_PAGES = 50
const MOST_LIST_BYTES = 4 * 1024 * 1024
const MOST_SMALL_BYTES = 64 * 1024
const END_WITHIN_MS = 2_000
/** JSON-RPC: the request was refused before anything was done. */
const REFUSED = new Set([-32_700, -32_600, -32_601, -32_602])

export interface McpTarget {
  /** of the connection, with its token in it */
  url: string
  egress: string[]
  signal: AbortSignal
}

export interface McpCall {
  name: string
  arguments: JsonObject
  max_bytes: number
  /** awaited right before the call is sent */
  beforeSending(): Promise<void>
}

/** The tools of a server, as it describes them; nothing of them is checked. */
export interface McpTools {
  tools: Json[]
  /** how long the server says that they stay as they are */
  ttl_ms: number
}

/**
 * A client of the Model Context Protocol over Streamable HTTP. Each use is a session of its own, every request goes through the egress
 * rules, once, and what a server asks for is not answered: no capability is offered. Failures are OperatorErrors. Those of a call say by
 * `details.sent` whether the tool may have acted.
 */
export interface McpClient {
  listTools(target: McpTarget): Promise<McpTools>
  /** The result of the tool, as it is. */
  callTool(target: McpTarget, call: McpCall): Promise<JsonObject>
}

interface Session {
  target: McpTarget
  headers: Record<string, string>
  next_id: number
}

interface Ask {
  max_bytes?: number
  beforeSending?: () => Promise<void>
}

export function createMcpClient(egress: Pick<EgressClient, 'request'>): McpClient {
  async function send({ target, headers }: Session, message: JsonObject, ask: Ask = {}) {
    const response = await egress.request({
      method: 'POST',
      url: bareUrl(target.url),
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...headers,
      },
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })),
      egress: target.egress,
      signal: target.signal,
      max_bytes: ask.max_bytes ?? MOST_SMALL_BYTES,
      ...(ask.beforeSending && { beforeSending: ask.beforeSending }),
    })
    const { status, retry_after_ms } = response
    if (status >= 200 && status < 300) return response
    const waits = status === 429 || (status === 503 && retry_after_ms !== undefined)
    throw new OperatorError('http_status', `the server answered ${status}`, {
      ...{ retryable: waits || status >= 500, retry_after_ms, details: { status, sent: status >= 500 && !waits } },
    })
  }

  async function request(session: Session, method: string, params: JsonObject, ask?: Ask) {
    session.next_id += 1
    const id = session.next_id
    const response = await send(session, { id, method, params }, ask)
    const answer = messageIn(response, id)
    if (answer === undefined)
      throw new OperatorError('answer_invalid', `the server does not answer ${method} as MCP does`, {
        details: { sent: true },
      })
    if ('error' in answer) throw refused(method, answer['error'])
    return { result: isObject(answer['result']) ? answer['result'] : {}, headers: response.headers }
  }

  async function inSession<Answer>(target: McpTarget, use: (session: Session) => Promise<Answer>): Promise<Answer> {
    const session: Session = { target, headers: { ...authorization(target.url) }, next_id: 0 }
    const { result, headers } = await request(session, 'initialize', {
      protocolVersion: REVISIONS[0],
      capabilities: {},
      clientInfo: { name: 'svc', version: '1' },
    })
    const revision = REVISIONS.find((each) => each === result['protocolVersion'])
    if (revision === undefined)
      throw new OperatorError('answer_invalid', `the server speaks no revision of MCP among ${REVISIONS.join(', ')}`)
    session.headers['mcp-protocol-version'] = revision
    const id = headers['mcp-session-id']
    if (id !== undefined) session.headers['mcp-session-id'] = id
    try {
      if (!isObject(result['capabilities']) || !isObject(result['capabilities']['tools']))
        throw new OperatorError('answer_invalid', 'the server offers no tools')
      await send(session, { method: 'notifications/initialized' })
      return await use(session)
    } finally {
      if (id !== undefined) await endSession(session)
    }
  }

  /** A server that does not take it ends the session by itself. */
  async function endSession({ target: { url, egress: rules }, headers }: Session): Promise<void> {
    const signal = AbortSignal.timeout(END_WITHIN_MS)
    await egress
      .request({ method: 'DELETE', url: bareUrl(url), headers, egress: rules, signal, max_bytes: MOST_SMALL_BYTES })
      .catch(() => undefined)
  }

  return {
    listTools: (target) =>
      inSession(target, async (session) => {
        const tools: Json[] = []
        let cursor: Json | undefined
        for (let page = 0; page < MOST_PAGES; page += 1) {
          const params = typeof cursor === 'string' ? { cursor } : {}
          const { result } = await request(session, 'tools/list', params, { max_bytes: MOST_LIST_BYTES })
          if (!Array.isArray(result['tools'])) throw new OperatorError('answer_invalid', 'the server lists no tools')
          tools.push(...result['tools'])
          cursor = result['nextCursor']
          if (typeof cursor !== 'string') return { tools, ttl_ms: Math.max(0, Number(result['ttlMs']) || 0) }
        }
        throw new OperatorError('answer_invalid', `the server lists its tools on more than ${MOST_PAGES} pages`)
      }),

    callTool: (target, { name, arguments: given, ...ask }) =>
      inSession(target, async (session) => {
        const { result } = await request(session, 'tools/call', { name, arguments: given }, ask)
        return result
      }),
  }
}

/** What a server says of an error stands in `details`: the message is ours. */
function refused(method: string, error: Json | undefined): OperatorError {
  const { code, message } = isObject(error) ? error : {}
  const said = typeof message === 'string' ? message : ''
  return new OperatorError('tool_failed', `the server refuses ${method} (${Number(code)})`, {
    details: { code: Number(code), said, sent: !REFUSED.has(Number(code)) },
  })
}

function bareUrl(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  return url.href
}

function authorization(text: string): { authorization?: string } {
  const { secret } = httpLogin(new URL(text))
  return secret === '' ? {} : { authorization: `Bearer ${secret}` }
}
