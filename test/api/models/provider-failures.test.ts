import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type ModelWorld, openModelWorld } from '#test/support/model-world.ts'

const HELLO = { model: 'theirs', messages: [{ role: 'user', content: 'hello' }], max_tokens: 20 }

let answer: (response: ServerResponse) => unknown
let asked = 0
const provider = createServer((request, response) => {
  asked += 1
  request.resume()
  answer(response)
})
let world: ModelWorld
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  world = await openModelWorld(inject('postgres_url'), {
    env: { SVC_MODEL_UNREAD_SECONDS: '1' },
    roles: { default: { model: 'echo' }, small: { model: 'theirs', fallback: 'echo' } },
    change: (models) => [
      ...models,
      ...models
        .filter(({ id }) => id === 'echo')
        .map((each) => ({ ...each, id: 'theirs', model: 'theirs', base_url, timeout_ms: 20_000 })),
    ],
  })
})
afterAll(async () => {
  await world?.close()
  provider.closeAllConnections()
  provider.close()
})

const post = (body: object) =>
  fetch(`${world.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...HELLO, ...body }),
  })
const begin = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'ye' }, finish_reason: null }] })}\n\n`,
  )
}
const recordOf = async (request_id: string | null) => {
  const [row] = await world.database.db<{ draft: { data: Record<string, unknown> } }[]>`
    select draft from audit_outbox where draft -> 'data' ->> 'request_id' = ${request_id ?? ''}`
  return row?.draft.data
}

it.each([false, true])('a rate limit stays one, with the wait of the provider (streamed: %s)', async (stream) => {
  answer = (response) => response.writeHead(429, { 'retry-after': '37' }).end('{"error":{"message":"too many tokens"}}')
  asked = 0
  const refused = await post({ stream })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '37'])
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited', type: 'rate_limit_error' } })
  // nobody is asked before the time that was told
  expect(asked).toBe(1)
  expect((await (await post({ stream, model: 'small' })).text()).includes('hello')).toBe(true)
  expect(asked).toBe(2)
})

it.each([
  [
    'says so',
    (response: ServerResponse) => response.end('data: {"error":{"message":"out of memory"}}\n\n'),
    'out of memory',
  ],
  ['cuts the connection', (response: ServerResponse) => response.destroy(), 'lost on its way'],
  ['ends without a finish_reason', (response: ServerResponse) => response.end('data: [DONE]\n\n'), 'finish_reason'],
])(
  'a provider that %s in the middle of a stream has failed, and caller and record know how',
  async (_what, fail, why) => {
    answer = (response) => {
      begin(response)
      setImmediate(() => fail(response))
    }
    const reply = await post({ stream: true })
    expect(reply.status).toBe(200)
    const events = (await reply.text()).split('\n\n').filter((event) => event.startsWith('data: '))
    expect(JSON.parse(events.at(-1)?.slice(6) ?? '')).toEqual({
      error: { code: 'dependency_unavailable', message: expect.stringContaining(why), param: null, type: 'api_error' },
    })
    expect(await recordOf(reply.headers.get('x-request-id'))).toMatchObject({
      ...{ outcome: 'lost', basis: 'estimate', reason: expect.stringContaining(why) },
    })
  },
)

it('a caller of a stream has its head before the provider says anything', async () => {
  let release = () => {}
  answer = (response) => {
    release = () => {
      begin(response)
      response.end(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 1 } })}\n\n`,
      )
    }
  }
  const reply = await post({ stream: true })
  expect(reply.headers.get('content-type')).toContain('text/event-stream')
  release()
  const text = await reply.text()
  expect(text.startsWith(': keep-alive\n\n')).toBe(true)
  expect(text).toContain('"model":"theirs","choices":[{"index":0,"delta":{"content":"ye"}')
  expect((await world.calls()).at(-1)).toMatchObject({ model: 'theirs', basis: 'reported' })
})

it('a caller that keeps its connection and reads nothing is cut off, and holds neither its provider nor its money', async () => {
  let left = () => {}
  const released = new Promise<void>((resolve) => {
    left = resolve
  })
  answer = (response) => {
    response.on('close', left)
    begin(response)
    const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(524_288) }, finish_reason: null }] })}\n\n`
    const go = () => {
      while (!response.destroyed) if (!response.write(chunk)) return void response.once('drain', go)
    }
    go()
  }
  const { hostname, port } = new URL(world.url)
  const body = JSON.stringify({ ...HELLO, stream: true })
  const caller = connect(Number(port), hostname)
  caller.on('error', () => {})
  caller.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const [head] = (await once(caller, 'data')) as [Buffer]
  caller.pause()
  await released
  await expect
    .poll(async () => (await world.calls()).at(-1))
    .toMatchObject({ model: 'theirs', state: 'settled', basis: 'estimate' })
  const request_id = /x-request-id: (\S+)/.exec(head.toString())?.[1] ?? null
  expect(await recordOf(request_id)).toMatchObject({
    outcome: 'aborted',
    reason: 'the caller has taken next to nothing for 1 s',
  })
  const cut = once(caller, 'close')
  caller.resume()
  await cut
})
