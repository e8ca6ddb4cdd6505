import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { httpLogin } from '#core/connection/kinds/over-http-schema.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import type { EgressClient } from '../egress/egress-client.ts'
import { createEgressFetch, type SessionRules } from './egress-fetch.ts'

/** Revisions of the protocol; a server is asked whether it speaks the first, which has no handshake and no sessions. */
const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']
const MAX_PAGES = 50
const MAX_LIST_BYTES = 4 * 1024 * 1024
/** JSON-RPC and MCP: the request was refused before anything was done. */
const REFUSED = new Set([-32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022])
/** The signal of the target ends a request; the longest timer that Node has. */
const NO_TIMEOUT = { timeout: 2 ** 31 - 1 }
/** As the server answers: what the client's own schemas drop is part of what a person accepts. */
const AsAnswered = z.custom<JsonObject>()

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
 * A client of the Model Context Protocol over Streamable HTTP. Each use is a session of its own where the server has sessions, every request goes through the egress
 * rules, once, and what a server asks for is not answered: no capability is offered. Failures are OperatorErrors. Those of a call say by
 * `details.sent` whether the tool may have acted.
 */
export interface McpClient {
  listTools(target: McpTarget): Promise<McpTools>
  /** The result of the tool, as it is. */
  callTool(target: McpTarget, call: McpCall): Promise<JsonObject>
}

type Ask = (method: 'tools/list' | 'tools/call', params: JsonObject) => Promise<JsonObject>

export function createMcpClient(egress: Pick<EgressClient, 'request'>): McpClient {
  async function inSession<Answer>(
    { url, ...rules }: McpTarget,
    limits: SessionRules['limits'],
    use: (ask: Ask) => Promise<Answer>,
  ): Promise<Answer> {
    // loaded when it is first used: most processes call no tool
    const { Client, ProtocolError, SdkError, SdkErrorCode, StreamableHTTPClientTransport } = await import(
      '@modelcontextprotocol/client'
    )
    const client = new Client(
      { name: 'svc', version: '1' },
      {
        supportedProtocolVersions: REVISIONS,
        versionNegotiation: { mode: 'auto' },
        inputRequired: { autoFulfill: false },
      },
    )
    const transport = new StreamableHTTPClientTransport(bareUrl(url), {
      fetch: createEgressFetch(egress, { ...rules, limits }),
      requestInit: { headers: authorization(url) },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
      },
    })
    const asked = <Found>(method: string, work: Promise<Found>): Promise<Found> =>
      work.catch((error: unknown) => {
        const own = error instanceof Error && error.cause instanceof OperatorError ? error.cause : error
        if (own instanceof OperatorError) throw own
        if (error instanceof ProtocolError) throw refused(method, error)
        if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) throw notTakenUp(method)
        throw new OperatorError('answer_invalid', `the server does not answer ${method} as MCP does`, {
          details: { sent: true },
          cause: error,
        })
      })
    try {
      await asked('initialize', client.connect(transport, NO_TIMEOUT))
      mustOfferTools(client)
      return await use((method, params) => asked(method, client.request({ method, params }, AsAnswered, NO_TIMEOUT)))
    } finally {
      // a server that does not take it ends the session by itself
      await transport.terminateSession().catch(() => undefined)
      await client.close()
    }
  }

  return {
    listTools: (target) =>
      inSession(target, { 'tools/list': { max_bytes: MAX_LIST_BYTES } }, async (ask) => {
        const tools: Json[] = []
        let cursor: Json | undefined
        let ttl_ms = Number.POSITIVE_INFINITY
        for (let page = 0; page < MAX_PAGES; page += 1) {
          const result = await ask('tools/list', typeof cursor === 'string' ? { cursor } : {})
          if (!Array.isArray(result['tools'])) throw new OperatorError('answer_invalid', 'the server lists no tools')
          tools.push(...result['tools'])
          ttl_ms = Math.min(ttl_ms, Math.max(0, Number(result['ttlMs']) || 0))
          cursor = result['nextCursor']
          if (typeof cursor !== 'string') return { tools, ttl_ms }
        }
        throw new OperatorError('answer_invalid', `the server lists its tools on more than ${MAX_PAGES} pages`)
      }),

    callTool: (target, { name, arguments: given, ...limits }) =>
      inSession(target, { 'tools/call': limits }, (ask) => ask('tools/call', { name, arguments: given })),
  }
}

function mustOfferTools(client: Client): void {
  if (client.getServerCapabilities()?.tools === undefined)
    throw new OperatorError('answer_invalid', 'the server offers no tools')
}

/** What a server says of an error stands in `details`: the message is ours. */
function refused(method: string, { code, message: said }: { code: number; message: string }): OperatorError {
  return new OperatorError('tool_failed', `the server refuses ${method} (${code})`, {
    details: { code, said, sent: !REFUSED.has(code) },
  })
}

/** Nothing of the kind is offered to a server. What the tool has done until then, nobody knows. */
function notTakenUp(method: string): OperatorError {
  const message = `the server answers ${method} with a question or a task, which no step takes up`
  return new OperatorError('tool_failed', message, { details: { sent: true } })
}

function bareUrl(text: string): URL {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  return url
}

function authorization(text: string): Record<string, string> {
  const { secret } = httpLogin(new URL(text))
  return secret === '' ? {} : { authorization: `Bearer ${secret}` }
}
