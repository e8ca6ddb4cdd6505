import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { ApiContext } from '../context.ts'
import { createMcpServer } from './create-mcp-server.ts'

/** Answers one message as JSON: a server and a transport of its own, no session, no stream. */
export async function answerMessage(c: ApiContext, message: unknown): Promise<Response> {
  const headers = new Headers(c.req.raw.headers)
  // the answer is always JSON, also without an `Accept` header
  headers.set('accept', 'application/json, text/event-stream')
  headers.set('content-type', 'application/json')
  const request = new Request(c.req.url, { method: 'POST', headers })
  const onerror = (error: Error) =>
    c.get('deps').log.warn({ request_id: c.get('request_id'), err: error }, 'a message of MCP was refused')
  const server = createMcpServer(c)
  server.onerror = onerror
  if (await isLegacyRequest(request, message)) return await answerStateless(server, request, message)
  // revisions since 2026-07-28 have no handshake; subscriptions would be streams
  const modern = createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0, onerror })
  return await modern.fetch(request, { parsedBody: message })
}

/** Revisions up to 2025-11-25, as a server that keeps no session may. */
async function answerStateless(server: Server, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
