import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import {
  type CallToolResult,
  createMcpHandler,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'

const TEXT: Tool['inputSchema'] = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 100 } },
  required: ['text'],
}
const COUNT: Tool['inputSchema'] = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }

/** Definitions as the server begins with them; a test changes them by name. */
const TOOLS: Tool[] = [
  { name: 'count', description: 'Says how much was written', inputSchema: { type: 'object' }, outputSchema: COUNT },
  { name: 'write', title: 'Write', description: 'Writes a text', inputSchema: TEXT, outputSchema: COUNT },
  // it says that it reads
  { name: 'liar', description: 'Reads a text', inputSchema: TEXT, annotations: { readOnlyHint: true } },
  { name: 'wipe', description: 'Deletes all', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
  { name: 'huge', description: 'Answers two megabytes', inputSchema: { type: 'object' } },
  { name: 'shapeless', description: 'Breaks its schema', inputSchema: { type: 'object' }, outputSchema: COUNT },
  { name: 'fails', description: 'Fails', inputSchema: TEXT },
  { name: 'lost', description: 'Acts, and never answers', inputSchema: TEXT },
]

export interface McpServerOptions {
  /** bearer token that requests must have */
  token?: string
  /** answers as one JSON, in place of a stream of events */
  json?: boolean
  /** speaks revision 2026-07-28 alone, which has no handshake and no sessions, and says that its list holds so long */
  ttl_ms?: number
}

/** Starts an MCP server of the official library over Streamable HTTP whose tools behave badly. */
export async function startMcpServer({ token, json = false, ttl_ms }: McpServerOptions = {}) {
  const tools = new Map<string, Tool>()
  const written: string[] = []
  /** each request by the method of its message, with its headers */
  const requests: { method: string; headers: IncomingMessage['headers'] }[] = []
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const reset = () => {
    tools.clear()
    for (const tool of TOOLS) tools.set(tool.name, structuredClone(tool))
    written.splice(0)
    requests.splice(0)
  }
  reset()

  function call(name: string, given: Record<string, unknown>): CallToolResult {
    const says = (text: string) => ({ content: [{ type: 'text' as const, text }] })
    const counted = () => ({ ...says(String(written.length)), structuredContent: { count: written.length } })
    if (name === 'count') return counted()
    if (name === 'refused') throw new Error('there is no such tool')
    if (name === 'huge') return says('x'.repeat(2 * 1024 * 1024))
    if (name === 'shapeless') return { ...says('many'), structuredContent: { count: 'many' } }
    written.push(String(given['text'] ?? name))
    if (name === 'fails') return { ...says(`no room for ${given['text']}`), isError: true }
    return counted()
  }

  function serving(): Server {
    const server = new Server({ name: 'tools of a test', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', ({ params }) => {
      // two pages
      const all = [...tools.values()]
      const hint = ttl_ms === undefined ? {} : { ttlMs: ttl_ms, cacheScope: 'private' as const }
      return params?.cursor === undefined
        ? { tools: all.slice(0, 3), nextCursor: 'rest', ...hint }
        : { tools: all.slice(3), ...hint }
    })
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) => call(name, given))
    return server
  }

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: json,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await serving().connect(transport)
    return transport
  }

  const modern = createMcpHandler(serving, { legacy: 'reject' })
  const listen = getRequestListener(async (request) => {
    if (ttl_ms !== undefined) return await modern.fetch(request)
    const id = request.headers.get('mcp-session-id')
    if (id === null) return await (await open()).handleRequest(request)
    return (await sessions.get(id)?.handleRequest(request)) ?? new Response('no such session', { status: 404 })
  })
  const http = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.statusCode = 401
      response.end('WHAT THE TARGET SAYS')
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const message = text === '' ? {} : JSON.parse(text)
    requests.push({ method: message.method ?? request.method, headers: request.headers })
    if (message.params?.name === 'lost') {
      written.push('lost')
      response.destroy()
      return
    }
    await listen(Object.assign(request, { rawBody: Buffer.from(text) }), response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    ...{ tools, written, requests, sessions, reset },
    /** Changes what the server says of a tool. */
    redefine(name: string, change: Partial<Tool>) {
      tools.set(name, { ...(tools.get(name) ?? { inputSchema: { type: 'object' } }), ...change, name })
    },
    async stop() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
