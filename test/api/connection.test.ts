import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { testApi } from '#test/support/api-client.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

const database = testDatabase()
const api = testApi(database)
const server = fileFixture(() => serveApi(api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} }))
afterAll(async () => {
  agent.destroy()
})

const ALERT = { source: 'test', service: 'checkout', symptom: 'Größe' }

/** Sends the pieces one by one, each once the one before is on its way. */
async function send(path: string, pieces: Buffer[], method = 'POST') {
  const sending = request(`${server.url}${path}`, {
    agent,
    method,
    headers: pieces.length > 0 ? { 'content-type': 'application/json' } : {},
  })
  const answered = once(sending, 'response')
  for (const piece of pieces) await new Promise<void>((resolve) => sending.write(piece, () => resolve()))
  sending.end()
  const [answer] = (await answered) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part)
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() }
}

it('a character that is cut in two by the network arrives whole', async () => {
  const bytes = Buffer.from(JSON.stringify(ALERT))
  const cut = bytes.indexOf(Buffer.from('ö')) + 1
  const { status, text } = await send('/triggers/alert', [bytes.subarray(0, cut), bytes.subarray(cut)])
  expect(status).toBe(202)
  expect(JSON.parse(text)).toMatchObject({ results: [{ fingerprint: 'test|checkout|größe' }] })
})

it('an idle connection is kept for longer than load balancers keep theirs', async () => {
  const { headers } = await send('/healthz', [], 'GET')
  expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60)
})

it('bytes that are no text are refused', async () => {
  const { status, text } = await send('/triggers/alert', [Buffer.from([0x22, 0xff, 0xfe, 0x22])])
  expect([status, JSON.parse(text).code]).toEqual([400, 'malformed_body'])
})

it('a sender that leaves in the middle starts nothing, and the next one is served', async () => {
  api.lines.length = 0
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const head = 'POST /triggers/alert HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n'
  socket.write(`${head}x-request-id: left-in-the-middle\r\ncontent-length: 5000\r\n\r\n{"source":"test",`)
  await once(socket, 'ready')
  socket.resetAndDestroy()
  await expect
    .poll(() => api.lines.find(({ fields }) => fields['request_id'] === 'left-in-the-middle')?.fields['status'])
    .toBe(400)
  expect((await send('/triggers/alert', [Buffer.from(JSON.stringify(ALERT))])).status).toBe(202)
})

it('after a body that was too large the next request is answered', async () => {
  const large = Buffer.alloc(700_000, ' ')
  expect((await send('/triggers/alert', [large, large])).status).toBe(413)
  expect((await send('/healthz', [], 'GET')).headers['content-type']).toContain('application/json')
})

it('a page keeps its own content policy, and every other header of a safe answer', async () => {
  const { headers } = await send('/docs', [], 'GET')
  expect(headers['content-security-policy']).toContain("script-src 'self'")
  expect(headers['content-security-policy']).not.toContain("frame-ancestors 'none', ")
  expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' })
})
