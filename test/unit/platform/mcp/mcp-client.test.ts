import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OperatorError } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createMcpClient } from '#platform/mcp/mcp-client.ts'
import { messageIn } from '#platform/mcp/read-message.ts'
import { startMcpServer } from '#test/support/mcp-server.ts'

const client = createMcpClient(createEgressClient())
const bytes = (text: string, type: string) => ({ body: Buffer.from(text), headers: { 'content-type': type } })

describe.each([
  ['streams of events', false],
  ['JSON', true],
])('a server of the official library that answers by %s', (_how, json) => {
  let server: Awaited<ReturnType<typeof startMcpServer>>
  beforeAll(async () => {
    server = await startMcpServer({ json, token: 't0ken' })
  })
  beforeEach(() => server.reset())
  afterAll(() => server.stop())

  const target = (changes: object = {}) => ({
    ...{ url: server.url.replace('//', '//:t0ken@'), egress: ['loopback'], signal: AbortSignal.timeout(10_000) },
    ...changes,
  })
  const call = (name: string, given = {}, max_bytes = 100_000) =>
    client.callTool(target(), { name, arguments: given, max_bytes, beforeSending: async () => undefined })
  const failure = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (!(error instanceof OperatorError)) throw new Error(`no failure: ${error}`)
    return error
  }

  test('lists all pages, and ends its session', async () => {
    const { tools } = await client.listTools(target())
    expect(tools).toEqual([...server.tools.values()])
    expect(server.requests.map(({ method }) => method)).toEqual([
      ...['initialize', 'notifications/initialized', 'tools/list', 'tools/list', 'DELETE'],
    ])
    expect(server.requests.slice(1).map(({ headers }) => headers['mcp-protocol-version'])).toEqual(
      Array(4).fill('2025-11-25'),
    )
    expect(server.sessions.size).toBe(0)
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
    expect(await failure(call('huge'))).toMatchObject({ code: 'response_too_large', details: { sent: true } })
    expect(await failure(client.listTools(target({ url: server.url })))).toMatchObject({
      code: 'http_status',
      details: { status: 401, sent: false },
    })
    expect(await failure(client.listTools(target({ egress: [] })))).toMatchObject({ code: 'egress_denied' })
  })
})

describe('a response', () => {
  const answer = { jsonrpc: '2.0', id: 2, result: { a: 1 } }

  test.each([
    ['JSON', bytes(JSON.stringify(answer), 'application/json')],
    [
      'the last of several events',
      bytes(
        `: hi\n\nid: 1\ndata:\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: ${JSON.stringify(answer)}\n\n`,
        'text/event-stream',
      ),
    ],
    [
      'an event of several lines',
      bytes(`data: {"id": 2,\r\ndata: "result": {"a": 1}}\r\n\r\n`, 'text/event-stream; charset=utf-8'),
    ],
  ])('is read from %s', (_how, response) => {
    expect(messageIn(response, 2)).toMatchObject({ id: 2, result: { a: 1 } })
  })

  test.each([
    ['another request', bytes(JSON.stringify(answer), 'application/json'), 3],
    ['no JSON', bytes('<html>', 'text/html'), 2],
    ['a request of the server', bytes('data: {"id":2,"method":"sampling/createMessage"}\n\n', 'text/event-stream'), 2],
  ])('to %s is none', (_what, response, id) => {
    expect(messageIn(response, id)).toBeUndefined()
  })
})
