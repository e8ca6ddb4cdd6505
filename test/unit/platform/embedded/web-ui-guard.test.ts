import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { guardWebUi } from '#platform/embedded/web-ui-guard.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A web UI behind its guard, and what reached it. */
async function guarded() {
  const reached: IncomingMessage[] = []
  const ui = createServer((asked, answer) => {
    reached.push(asked)
    answer.end('ui')
  })
  await new Promise<void>((listening) => ui.listen(0, '127.0.0.1', listening))
  const port = await findFreePort(41_800)
  const guard = await guardWebUi(port, { host: '127.0.0.1', port: (ui.address() as AddressInfo).port })
  stops.push(
    guard.stop,
    () => ui.closeAllConnections(),
    () => ui.close(),
  )
  return { reached, port }
}

/** First line of the answer to exactly these bytes. */
function sendRaw(port: number, head: string, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n${body}`),
    )
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''))
    socket.on('error', reject)
  })
}

it.each(['Trailer: x', 'TE: trailers', 'Keep-Alive: 5', 'Expect: 100-continue\r\nTrailer: x'])(
  'passes a request on without its %s, which could end the process',
  async (header) => {
    const { port, reached } = await guarded()
    const length = header.startsWith('Expect') ? '\r\nContent-Length: 2' : ''
    const line = await sendRaw(port, `POST /x HTTP/1.1\r\n${header}${length}`, length === '' ? '' : 'ab')
    expect(line).toMatch(/^HTTP\/1\.1 (200 OK|100 Continue)$/)
    expect(reached).toHaveLength(1)
    for (const name of ['trailer', 'te', 'keep-alive', 'expect']) expect(reached[0]?.headers[name]).toBeUndefined()
  },
)

it('is no proxy: the name in the target of a request would count instead of `Host`', async () => {
  const { port, reached } = await guarded()
  expect(await sendRaw(port, 'GET http://evil.test/x HTTP/1.1')).toBe('HTTP/1.1 403 Forbidden')
  expect(await sendRaw(port, 'OPTIONS * HTTP/1.1')).toBe('HTTP/1.1 403 Forbidden')
  expect(reached).toEqual([])
})

it('passes a body on as it is framed', async () => {
  const { port, reached } = await guarded()
  const status = await new Promise((resolve, reject) => {
    const sent = request({ port, method: 'DELETE', headers: { 'transfer-encoding': 'chunked' } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('error', reject)
    sent.end('body')
  })
  expect([status, reached[0]?.headers['transfer-encoding']]).toEqual([200, 'chunked'])
})
