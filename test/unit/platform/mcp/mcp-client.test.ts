import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OperatorError } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createEgressFetch } from '#platform/mcp/egress-fetch.ts'
import { createMcpClient } from '#platform/mcp/mcp-client.ts'
import { startMcpServer } from '#test/support/mcp-server.ts'

const client = createMcpClient(createEgressClient())

async function failure(work: Promise<unknown>): Promise<OperatorError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof OperatorError) return error
  throw new Error(`no failure: ${error}`)
}

const HANDSHAKE = ['server/discover', 'initialize', 'notifications/initialized']
const LISTED = ['tools/list', 'tools/list']

describe.each([
  ['streams of events', {}, [...HANDSHAKE, ...LISTED, 'DELETE'], '2025-11-25'],
  ['JSON', { json: true }, [...HANDSHAKE, ...LISTED, 'DELETE'], '2025-11-25'],
  ['JSON without sessions', { ttl_ms: 7 }, ['server/discover', ...LISTED], '2026-07-28'],
])('a server of the official library that answers by %s', (_how, options, methods, revision) => {
  let server: Awaited<ReturnType<typeof startMcpServer>>
  beforeAll(async () => {
    server = await startMcpServer({ ...options, token: 't0ken' })
  })
  beforeEach(() => server.reset())
  afterAll(() => server.stop())

  const target = (changes: object = {}) => ({
    ...{ url: server.url.replace('//', '//:t0ken@'), egress: ['loopback'], signal: AbortSignal.timeout(10_000) },
    ...changes,
  })
  const call = (name: string, given = {}, max_bytes = 100_000) =>
    client.callTool(target(), { name, arguments: given, max_bytes, beforeSending: async () => undefined })

  test('lists all pages, and ends its session', async () => {
    const { tools, ttl_ms } = await client.listTools(target())
    expect(tools).toEqual([...server.tools.values()])
    expect(ttl_ms).toBe('ttl_ms' in options ? options.ttl_ms : 0)
    expect(server.requests.map(({ method }) => method)).toEqual(methods)
    const listing = server.requests.filter(({ method }) => method === 'tools/list')
    expect(listing.map(({ headers }) => headers['mcp-protocol-version'])).toEqual([revision, revision])
    expect(server.sessions.size).toBe(0)
  })

  test('hands on what the schemas of the protocol do not know', async () => {
    server.redefine('write', { annotations: { readOnlyHint: true, 'x-note': 'a' }, 'x-owner': 'b' } as object)
    const { tools } = await client.listTools(target())
    expect(tools).toContainEqual(server.tools.get('write'))
  })

  test('says what the server refused', async () => {
    expect(await failure(call('refused'))).toMatchObject({
      ...{ code: 'tool_failed', message: 'the server refuses tools/call (-32603)' },
      details: { code: -32_603, said: 'there is no such tool', sent: true },
    })
  })

  test('answers a call with its result', async () => {
    expect(await call('write', { text: 'a' })).toMatchObject({ structuredContent: { count: 1 } })
    expect(await call('fails', { text: 'a' })).toMatchObject({ isError: true })
  })

  test('sends no call that may not be sent', async () => {
    const sending = { name: 'write', arguments: { text: 'a' }, max_bytes: 1_000 }
    const refusing = async () => {
      throw new OperatorError('aborted', 'not now')
    }
    await failure(client.callTool(target(), { ...sending, beforeSending: refusing }))
    expect([server.written, server.sessions.size]).toEqual([[], 0])
  })

  test('says whether a call that failed was sent', async () => {
    expect(await failure(call('lost', { text: 'a' }))).toMatchObject({
      code: 'connection_lost',
      details: { sent: true },
    })
    expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1)
    expect(await failure(call('huge'))).toMatchObject({ code: 'response_too_large', details: { sent: true } })
    expect(await failure(client.listTools(target({ url: server.url })))).toMatchObject({
      code: 'http_status',
      details: { status: 401, sent: false },
    })
    expect(await failure(client.listTools(target({ egress: [] })))).toMatchObject({ code: 'egress_denied' })
  })
})

test.each([
  ['a question', { resultType: 'input_required', inputRequests: {}, requestState: 'a' }],
  ['a task', { resultType: 'task', task: { taskId: 'a', status: 'working' } }],
])('%s in place of a result is not taken up, and may have acted', async (_what, result) => {
  const discovered = {
    ...{ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    ...{ serverInfo: { name: 'asks', version: '1' }, ttlMs: 0, cacheScope: 'private' },
  }
  const asked: string[] = []
  const asks = createMcpClient({
    async request({ body }) {
      const { id, method } = JSON.parse(String(body))
      asked.push(method)
      const answer = { jsonrpc: '2.0', id, result: method === 'tools/call' ? result : discovered }
      return {
        ...{ status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(answer)) },
        ...{ remote_address: '', ms: 1, redirects: [] },
      }
    },
  })
  const target = { url: 'http://a.example.com/', egress: [], signal: AbortSignal.timeout(10_000) }
  const call = { name: 'write', arguments: {}, max_bytes: 1_000, beforeSending: async () => undefined }
  expect(await failure(asks.callTool(target, call))).toMatchObject({
    ...{ code: 'tool_failed', message: expect.stringContaining('a question or a task'), details: { sent: true } },
  })
  expect(asked).toEqual(['server/discover', 'tools/call'])
})

describe('an answer', () => {
  const answer = { jsonrpc: '2.0', id: 2, result: { a: 1 } }
  const asks = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call' }) }
  const rules = { egress: [], signal: AbortSignal.timeout(10_000), limits: {} }
  const answering = (text: string, type: string, status = 200) =>
    createEgressFetch(
      {
        request: async () => ({
          ...{ status, headers: { 'content-type': type }, body: Buffer.from(text) },
          ...{ remote_address: '', ms: 1, redirects: [] },
        }),
      },
      rules,
    )

  test.each([
    ['JSON', JSON.stringify(answer), 'application/json'],
    [
      'the last of several events',
      `: hi\n\nid: 1\ndata:\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: ${JSON.stringify(answer)}\n\n`,
      'text/event-stream',
    ],
    [
      'an event of several lines',
      `data: {"jsonrpc": "2.0", "id": 2,\r\ndata: "result": {"a": 1}}\r\n\r\n`,
      'text/event-stream; charset=utf-8',
    ],
    [
      'a stream that asks something first',
      `data: {"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"}\n\ndata: ${JSON.stringify(answer)}\n\n`,
      'text/event-stream',
    ],
  ])('is read from %s', async (_how, text, type) => {
    const response = await answering(text, type)('http://a.example.com/', asks)
    expect(await response.json()).toEqual(answer)
  })

  test('keeps a number that would be rounded as text', async () => {
    const text = '{"jsonrpc":"2.0","id":2,"result":{"a":12345678901234567890}}'
    const response = await answering(text, 'application/json')('http://a.example.com/', asks)
    expect(await response.json()).toMatchObject({ result: { a: '12345678901234567890' } })
  })

  test.each([
    ['to another request', JSON.stringify({ ...answer, id: 3 }), 'application/json'],
    ['that is no JSON', '<html>', 'text/html'],
    [
      'that asks something',
      'data: {"jsonrpc":"2.0","id":2,"method":"sampling/createMessage"}\n\n',
      'text/event-stream',
    ],
  ])('%s is none', async (_what, text, type) => {
    expect(await failure(answering(text, type)('http://a.example.com/', asks))).toMatchObject({
      ...{ code: 'answer_invalid', details: { sent: true } },
    })
  })

  describe('to the question what a server speaks', () => {
    const probe = { ...asks, body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'server/discover' }) }
    const error = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'no session' } })

    test.each([
      ['a refusal', error, 400, 400],
      ['a missing page', 'not found', 404, 404],
      ['an error that names no request', error, 200, 400],
    ])('may be %s, as servers of earlier revisions answer', async (_what, text, status, read) => {
      const response = await answering(text, 'application/json', status)('http://a.example.com/', probe)
      expect(response.status).toBe(read)
    })

    test.each([401, 403, 429, 500])('that is %s fails', async (status) => {
      expect(await failure(answering('', '', status)('http://a.example.com/', probe))).toMatchObject({
        ...{ code: 'http_status', details: { status } },
      })
    })
  })

  test('is not awaited on a stream of its own', async () => {
    expect((await answering('', '')('http://a.example.com/', { method: 'GET' })).status).toBe(405)
  })
})
