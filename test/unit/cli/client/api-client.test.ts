import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createApiClient } from '#cli/client/api-client.ts'
import { DomainError } from '#core/errors.ts'
import { collectGarbage } from '#test/support/collect-garbage.ts'
import { fileFixture } from '#test/support/file-fixture.ts'

interface Seen {
  method: string | undefined
  path: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

interface Answer {
  status?: number
  type?: string
  body?: string
  more?: Record<string, string>
  /** sent, and the connection stays */
  open?: boolean
}

let url: string
let seen: Seen[] = []
/** what is answered next; undefined cuts the connection */
let answers: (Answer | undefined)[] = []

const server = fileFixture(() =>
  createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ method: request.method, path: request.url, headers: request.headers, body })
      const answer = answers.length === 0 ? {} : answers.shift()
      if (answer === undefined) return request.socket.destroy()
      response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json', ...answer.more })
      if (answer.open) return response.write(answer.body)
      return response.end(answer.status === 204 ? undefined : (answer.body ?? '{}'))
    })
  }),
)
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/behind/a/proxy`
})
beforeEach(() => {
  seen = []
  answers = []
})

const WORKSPACE = `ws_${'2'.repeat(26)}`
const client = (workspace?: string) => createApiClient({ url, workspace, token: async () => 'kept' })

test('gives a report as it is, however long', async () => {
  const body = `# Report\n\n${'a line\n'.repeat(100)}`
  answers = [{ type: 'text/markdown; charset=utf-8', body }]
  expect(await client().report('run_1')).toBe(body)
})

test('asks in the name of its user and in the workspace that is named, below the prefix of the url', async () => {
  answers = [{ body: '{"id":"run_1"}' }]
  expect(await client(WORKSPACE).run('run/1 ü')).toEqual({ id: 'run_1' })
  expect(seen).toMatchObject([
    {
      method: 'GET',
      path: '/behind/a/proxy/runs/run%2F1%20%C3%BC',
      headers: { authorization: 'Bearer kept', 'x-svc-workspace': WORKSPACE },
      body: '',
    },
  ])
  expect(seen[0]?.headers).not.toHaveProperty('content-type')
})

test('asks for health and for a token without a token, and sends the password as a form', async () => {
  answers = [{}, { body: '{"access_token":"new","token_type":"bearer","expires_in":60,"scope":""}' }]
  await client(WORKSPACE).health()
  expect(await client(WORKSPACE).login('ann@example.test', 'a+b c&d')).toMatchObject({ access_token: 'new' })
  for (const { headers } of seen) {
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('x-svc-workspace')
  }
  expect(seen[1]?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/)
  expect(Object.fromEntries(new URLSearchParams(seen[1]?.body))).toEqual({
    grant_type: 'password',
    username: 'ann@example.test',
    password: 'a+b c&d',
    client_id: 'svc-cli',
  })
})

test('revokes the token that is named, and takes an answer without a body', async () => {
  answers = [{ status: 204 }]
  expect(await client().logout('given')).toBeUndefined()
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer given' })
})

test('sends once more what creates, under the same key, when the connection breaks', async () => {
  answers = [undefined, { status: 202, body: '{"id":"run_1"}' }]
  expect(await client().start('sre', 'recover', { inputs: { a: 1 } })).toEqual({ id: 'run_1' })
  const [first, second] = seen
  expect(first).toMatchObject({ path: '/behind/a/proxy/packs/sre/recover/run', body: '{"inputs":{"a":1}}' })
  expect(second).toMatchObject({ method: 'POST', body: '{"inputs":{"a":1}}' })
  expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/)
  expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
})

test('never repeats what was refused, and says what was wrong', async () => {
  const errors = [{ pointer: '/inputs/url', msg: 'is missing', type: 'required' }]
  answers = [{ status: 422, body: JSON.stringify({ code: 'validation_failed', detail: 'No.', errors }) }]
  await expect(client().start('sre', 'recover', { inputs: {} })).rejects.toMatchObject({
    name: 'ApiProblem',
    status: 422,
    code: 'validation_failed',
    message: 'No.\n  /inputs/url: is missing',
  })
  expect(seen).toHaveLength(1)
})

test('a proxy that answers with a page is not taken for the service', async () => {
  answers = [
    { type: 'text/html', body: '<h1>Hello</h1>' },
    { status: 502, type: 'text/html', body: '<h1>Bad</h1>' },
  ]
  expect(await client().health()).toEqual({ detail: '<h1>Hello</h1>' })
  await expect(client().health()).rejects.toMatchObject({ status: 502, code: 'unknown', message: '<h1>Bad</h1>' })
})

test('says where nobody answers', async () => {
  answers = [undefined]
  const failure = await client()
    .me()
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DomainError)
  expect(failure).toMatchObject({ code: 'dependency_unavailable', message: expect.stringContaining(url) })
})

test('follows a stream of events to its end', async () => {
  const frames = ['id: 1\ndata: {"seq":1}', 'id: 2\ndata: {"seq":2}', 'event: end\ndata: {}']
  answers = [
    { type: 'text/event-stream', body: `${frames.join('\n\n')}\n\n` },
    { type: 'text/event-stream', body: `${frames[0]}\n\n` },
  ]
  const got: number[] = []
  const onEvent = ({ seq }: { seq: number }) => {
    got.push(seq)
    return 'continue' as const
  }
  expect(await client().stream('run_1', 7, onEvent)).toBe('run ended')
  expect(await client().stream('run_1', 7, onEvent)).toBe('cut')
  expect(got).toEqual([1, 2, 1])
  expect(seen[0]).toMatchObject({
    path: '/behind/a/proxy/runs/run_1/stream?after_seq=7',
    headers: { accept: 'text/event-stream' },
  })
})

test('leaves a stream when it is told to, also after garbage was collected', async () => {
  const open = { type: 'text/event-stream', body: 'id: 1\ndata: {"seq":1}\n\n', open: true }
  answers = [open]
  const leaving = new AbortController()
  let end: Promise<string> | undefined
  await new Promise<void>((begun) => {
    const onEvent = () => {
      begun()
      return 'continue' as const
    }
    end = client().stream('run_1', 0, onEvent, leaving.signal)
  })
  collectGarbage()
  leaving.abort()
  expect(await end).toBe('cut')

  answers = [open]
  await expect(client().stream('run_1', 0, () => 'continue', AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  })
})

test('reads a list over as many pages as it takes, and how much there is', async () => {
  const page = (from: number, count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, i) => ({ id: from + i })))
  const next = (cursor: string) => ({
    link: `</runs?limit=200&cursor=${cursor}>; rel="next"`,
    'x-total-at-least': '900',
  })
  answers = [
    { body: page(0, 200), more: next('c1') },
    { body: page(200, 50), more: next('c2') },
  ]
  const { items, total } = await client().runs({ status: 'failed' }, 250)
  expect(items.map(({ id }) => Number(id))).toEqual(Array.from({ length: 250 }, (_, i) => i))
  expect(total).toEqual({ count: 900, at_least: true })
  expect(seen.map(({ path }) => path?.replace(/^.*\?/, ''))).toEqual([
    'status=failed&limit=200',
    'status=failed&limit=50&cursor=c1',
  ])
  answers = [{ body: page(0, 3), more: { 'x-total-count': '3' } }]
  expect(await client().runs({}, 20)).toMatchObject({ items: { length: 3 }, total: { count: 3, at_least: false } })
  answers = [{ type: 'text/html', body: '<h1>Hello</h1>' }]
  await expect(client().runs({}, 20)).rejects.toMatchObject({ code: 'dependency_unavailable' })
})

test('turns the name of a workspace into its id once, outside of any workspace', async () => {
  const named = client('payments')
  answers = [{ body: JSON.stringify([{ id: WORKSPACE, slug: 'payments' }]) }, {}, {}]
  await named.run('run_1')
  await named.run('run_2')
  expect(seen.map(({ path, headers }) => [path?.replace(/\?.*$/, ''), headers['x-svc-workspace']])).toEqual([
    ['/behind/a/proxy/workspaces', undefined],
    ['/behind/a/proxy/runs/run_1', WORKSPACE],
    ['/behind/a/proxy/runs/run_2', WORKSPACE],
  ])
})

test('a refused token comes with what to do about it, a refused password does not', async () => {
  const advised = createApiClient({
    url,
    workspace: undefined,
    token: async () => 'old',
    advice: async () => 'do this',
  })
  answers = [{ status: 401, body: '{"code":"unauthenticated","detail":"No"}' }]
  await expect(advised.me()).rejects.toMatchObject({ status: 401, advice: 'do this', document: { advice: 'do this' } })
  answers = [{ status: 401, body: '{"error":"invalid_grant"}' }]
  await expect(advised.login('a', 'b')).rejects.toMatchObject({ status: 401, advice: undefined })
})
