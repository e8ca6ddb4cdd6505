import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FollowState, followEvents } from '../../../console/src/lib/follow-events.ts'
import { API_URL } from '../../../console/src/lib/places.ts'

let server: Server
let asked: string[]
let answer: (request: IncomingMessage, response: ServerResponse) => void
const seqs: number[] = []
const states: FollowState[] = []

const follower = {
  onEvent: ({ seq }: { seq: number }) => void seqs.push(seq),
  onState: (state: FollowState) => void states.push(state),
}
const event = (seq: number) => `id: ${seq}\nevent: step.log\ndata: ${JSON.stringify({ seq })}\n\n`
const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

beforeEach(async () => {
  asked = []
  seqs.length = 0
  states.length = 0
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // the console asks beside its own address, which here is a file
  const real = globalThis.fetch
  vi.stubGlobal('fetch', ({ url, signal, headers }: Request) =>
    real(url.replace(API_URL, `http://127.0.0.1:${port}`), { signal, headers }),
  )
})
afterEach(() => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
})

describe('following a run', () => {
  test('goes on where a broken connection was, tells each event once, and ends with the run', async () => {
    answer = (request, response) => {
      if (request.url?.endsWith('after_seq=0')) {
        stream(response).write(event(1))
        return void response.write(event(2), () => response.destroy())
      }
      stream(response).end(`${event(3)}event: end\ndata: {}\n\n`)
    }
    await followEvents({ of: 'runs', id: 'run_1' }, follower, new AbortController().signal)
    expect(asked).toEqual(['/runs/run_1/stream?after_seq=0', '/runs/run_1/stream?after_seq=2'])
    expect(seqs).toEqual([1, 2, 3])
    expect(states).toEqual(['following', 'reconnecting', 'following', 'ended'])
  })

  test.each([401, 403, 404])('asks no more when it is refused with %s', async (status) => {
    answer = (_request, response) => void response.writeHead(status).end('{}')
    await followEvents({ of: 'runs', id: 'run_1' }, follower, new AbortController().signal)
    expect([asked.length, states]).toEqual([1, ['refused']])
  })

  test.each([429, 503])('comes again after %s', async (status) => {
    answer = (_request, response) =>
      void (asked.length === 1
        ? response.writeHead(status).end('{}')
        : stream(response).end('event: end\ndata: {}\n\n'))
    await followEvents({ of: 'runs', id: 'run_1' }, follower, new AbortController().signal)
    expect([asked.length, states]).toEqual([2, ['reconnecting', 'following', 'ended']])
  })

  test('stops at once when nobody looks any more, connected or waiting', async () => {
    for (const body of [event(1), undefined]) {
      const leaving = new AbortController()
      answer = (_request, response) =>
        void (body === undefined ? response.writeHead(503).end('{}') : stream(response).write(body))
      const before = { ...follower, onState: (state: FollowState) => state === 'reconnecting' && leaving.abort() }
      const onEvent = () => leaving.abort()
      await followEvents({ of: 'runs', id: 'run_1' }, { ...before, onEvent }, leaving.signal)
      expect(leaving.signal.aborted).toBe(true)
    }
    expect(asked).toHaveLength(2)
  })
})
