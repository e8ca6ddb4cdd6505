import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpRequest } from '#activities/operators/http/request.ts'
import { startDemoService } from '#cli/demo/demo-server.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const operator = createHttpRequest({ egress: createEgressClient() })
const stops: (() => Promise<void>)[] = []
const canary = async (...args: Parameters<typeof startCanary>): Promise<Canary> => {
  const one = await startCanary(...args)
  stops.push(one.stop)
  return one
}
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const run = (input: JsonObject, ctx = operatorContext({ egress: ['loopback'] })) =>
  operator.execute(ctx, operator.parse(input))

const failure = async (work: Promise<unknown>): Promise<OperatorError> => {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error instanceof OperatorError) return error
  throw new Error(`expected an OperatorError, got ${String(error)}`)
}

describe('a request', () => {
  it('repeated with its key acts once and is answered the same', async () => {
    const demo = await startDemoService()
    stops.push(demo.stop)
    await run({ method: 'POST', url: `${demo.url}/fault`, json: { kind: 'disk_full' } })
    const sick = await run({ method: 'GET', url: `${demo.url}/health`, accept_status: [200, 503] })
    expect(sick.outputs).toMatchObject({ status: 503, json: { status: 'faulty', reason: 'disk_full' } })
    const input = { method: 'POST', url: `${demo.url}/restart`, json: { reason: 'alert' } }
    const answers = []
    for (const attempt of [1, 2, 3]) {
      answers.push((await run(input, operatorContext({ egress: ['loopback'], attempt }))).outputs.json)
    }
    expect(answers).toEqual([answers[0], answers[0], answers[0]])
    expect(demo.state()).toMatchObject({
      fault: undefined,
      calls: 3,
      actions: [{ kind: 'restart', key: 'run_1:act', reason: 'alert' }],
      keys: { 'run_1:act': 3 },
    })
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s carries the key, GET and HEAD do not', async (method) => {
    const target = await canary()
    for (const each of [method, 'GET', 'HEAD']) await run({ method: each, url: target.url })
    expect(target.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'run_1:act',
      undefined,
      undefined,
    ])
  })

  it('sends JSON, plain text and headers as given', async () => {
    const target = await canary()
    await run({ method: 'POST', url: target.url, json: { a: [1, null] } })
    await run({ method: 'POST', url: target.url, body: 'x=ü', headers: { 'Content-Type': 'text/plain' } })
    expect(target.requests[0]).toMatchObject({
      body: '{"a":[1,null]}',
      headers: { 'content-type': 'application/json' },
    })
    expect(target.requests[1]).toMatchObject({ body: 'x=ü', headers: { 'content-type': 'text/plain' } })
  })

  it('is refused where the environment does not open the address', async () => {
    const target = await canary()
    const error = await failure(run({ method: 'GET', url: target.url }, operatorContext()))
    expect(error).toMatchObject({ code: 'egress_denied', retryable: false, unknown_outcome: false })
    expect(target.connections()).toBe(0)
  })

  it('is not sent where nothing may begin any more', async () => {
    const target = await canary()
    const beforeSending = () => Promise.reject(new Error('stopped'))
    await failure(run({ method: 'POST', url: target.url }, operatorContext({ egress: ['loopback'], beforeSending })))
    expect(target.connections()).toBe(0)
  })

  it('through a connection takes its credentials along, and never to another host', async () => {
    const target = await canary()
    const connections = {
      api: target.url.replace('://', '://user:pa%20ss@'),
      bearer: `${target.url.replace('://', '://:t0ken@')}/v1/`,
    }
    const ctx = operatorContext({ egress: ['loopback'], connections })
    await run({ method: 'GET', url: '/x', connection: 'api' }, ctx)
    await run({ method: 'GET', url: 'y?z=1', connection: 'bearer' }, ctx)
    expect(target.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/x', `Basic ${Buffer.from('user:pa ss').toString('base64')}`],
      ['/v1/y?z=1', 'Bearer t0ken'],
    ])
    const keyed = { api: `${target.url}/v1/?api_key=s3cret` }
    for (const url of ['#', '#part', ' ', '?'])
      await run(
        { method: 'GET', url, connection: 'api' },
        operatorContext({ egress: ['loopback'], connections: keyed }),
      )
    expect(target.requests.splice(2).map(({ url }) => url)).toEqual(['/v1/', '/v1/', '/v1/', '/v1/'])
    for (const url of ['http://evil.test/', '//evil.test/', 'http://u@127.0.0.1/', 'file:///x']) {
      const error = await failure(run({ method: 'GET', url, connection: 'api' }, ctx))
      expect(error.code).toBe('egress_denied')
    }
    expect(target.requests).toHaveLength(2)
  })
})

describe('an answer', () => {
  it('that is lost or late is a result where the step says so, unless nothing was sent or the step was stopped', async () => {
    const stopping = new AbortController()
    const target = await canary((request, response) => {
      if (request.url === '/stop') stopping.abort()
      if (request.url === '/cut') request.socket.destroy()
      if (request.url === '/large') response.end('x'.repeat(100))
      if (request.url === '/sick') response.writeHead(502).end()
    })
    const post = (path: string, more: JsonObject = {}) => ({ method: 'POST', url: `${target.url}${path}`, ...more })
    const lost = async (input: JsonObject) => (await run({ accept_lost_after: '5s', ...input })).outputs
    expect(await lost(post('/cut'))).toMatchObject({ status: 0, lost: expect.stringMatching(/\/cut: /) })
    expect(await lost(post('/late', { idempotent: false, accept_lost_after: '1s' }))).toMatchObject({
      status: 0,
      lost: expect.stringContaining('took too long'),
    })
    expect(await lost(post('/large', { max_bytes: 10 }))).toMatchObject({ status: 0 })

    const accepted = { accept_lost_after: '5s' }
    expect(await failure(run(post('/sick', accepted)))).toMatchObject({ code: 'http_status' })
    const nobody = { method: 'POST', url: 'http://127.0.0.1:1/', ...accepted }
    expect(await failure(run(nobody))).toMatchObject({ code: 'unreachable' })
    const stopped = run(post('/stop', accepted), operatorContext({ egress: ['loopback'], signal: stopping.signal }))
    expect(await failure(stopped)).toMatchObject({ code: 'aborted' })
  })

  it('that is not UTF-8, or JSON that nests too deeply, is never recorded as if it were', async () => {
    const bodies = [
      Buffer.from([0xff, 0xfe, 0x00]),
      Buffer.from('['.repeat(5_000) + ']'.repeat(5_000)),
      Buffer.from('"a\\u0000b\\ud800"'),
    ]
    const target = await canary((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 's3cret=1' }).end(bodies.shift()),
    )
    const outputs = []
    for (const _ of [1, 2, 3]) outputs.push((await run({ method: 'GET', url: target.url })).outputs)
    expect(outputs[0]).not.toHaveProperty('text')
    expect(outputs[1]).not.toHaveProperty('json')
    expect(outputs[2]).toMatchObject({ json: 'a\uFFFDb\uFFFD' })
    expect(JSON.stringify(outputs)).not.toContain('s3cret')
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('that points elsewhere ends a %s', async (method) => {
    const elsewhere = await canary()
    const target = await canary((_request, response) =>
      response.writeHead(307, { location: `${elsewhere.url}/rollback?token=s3cret` }).end(),
    )
    const error = await failure(run({ method, url: `${target.url}/restart`, accept_status: [200, 302] }))
    const location = `${elsewhere.url}/rollback?token=<hidden>`
    expect(error).toMatchObject({ code: 'redirected', retryable: false, details: { status: 307, location } })
    expect([target.requests.length, elsewhere.connections()]).toEqual([1, 0])
  })

  it('of a read that was redirected says which way it came', async () => {
    const target = await canary((request, response) =>
      request.url === '/new' ? response.end('ok') : response.writeHead(308, { location: '/new' }).end(),
    )
    const { outputs } = await run({ method: 'GET', url: `${target.url}/old` })
    expect(outputs).toMatchObject({ status: 200, redirects: [{ status: 308, location: `${target.url}/new` }] })
  })

  it('of a read that fails says too which way it came', async () => {
    const target = await canary((request, response) =>
      request.url === '/new' ? response.writeHead(404).end() : response.writeHead(308, { location: '/new' }).end(),
    )
    const { details } = await failure(run({ method: 'GET', url: `${target.url}/old` }))
    expect(details).toMatchObject({ status: 404, redirects: [{ status: 308, location: `${target.url}/new` }] })
  })

  it('of a read through a connection never takes its credentials to another origin', async () => {
    const other = await canary()
    const target = await canary((_request, response) => response.writeHead(302, { location: other.url }).end())
    const connections = { api: target.url.replace('://', '://:s3cret@') }
    const headers = { 'x-internal': 's3cret' }
    await run(
      { method: 'GET', url: '/x', connection: 'api', headers },
      operatorContext({ egress: ['loopback'], connections }),
    )
    expect(target.requests[0]?.headers).toMatchObject({ authorization: 'Bearer s3cret', 'x-internal': 's3cret' })
    expect(JSON.stringify(other.requests)).not.toContain('s3cret')
  })

  it('may be a redirect when the template lists it', async () => {
    const target = await canary((_request, response) => response.writeHead(302, { location: '/login' }).end())
    const { outputs } = await run({ method: 'GET', url: target.url, accept_status: [302] })
    expect(outputs).toMatchObject({ status: 302, headers: { location: '/login' } })
  })

  it.each([
    [500, true, true, false],
    [503, true, true, false],
    ['503 and when to come back', true, true, false],
    [429, true, true, false],
    [404, true, false, false],
    [301, true, false, false],
    [500, false, false, true],
    [504, false, false, true],
    // a proxy says so too when its upstream has gone in the middle
    [503, false, false, true],
    ['503 and when to come back', false, true, false],
    [408, false, false, true],
    [429, false, true, false],
    [409, false, false, false],
  ])('%s with idempotent %s: retryable %s, unknown %s', async (answer, idempotent, retryable, unknown_outcome) => {
    const status = typeof answer === 'number' ? answer : 503
    const headers = typeof answer === 'number' ? {} : { 'retry-after': '1' }
    const target = await canary((_request, response) => response.writeHead(status, headers).end('why'))
    const error = await failure(run({ method: 'POST', url: target.url, idempotent }))
    expect(error).toMatchObject({ code: 'http_status', retryable, unknown_outcome, details: { status, text: 'why' } })
  })

  it.each([
    ['text/plain', 'restart refused: disk full\n  at /var', 'restart refused: disk full…'],
    ['application/json', '{"error":"restart refused: disk full"}', 'restart refused: disk full'],
    ['application/json', '{"error":{"code":7,"message":"disk full"}}', 'disk full'],
    ['application/problem+json', '{"title":"Conflict","detail":"disk full","status":500}', 'disk full'],
    ['application/json', '{"ok":false}', undefined],
    ['text/html', '<html><h1>Bad gateway</h1></html>', undefined],
    ['application/problem+json', '{"detail":" ","message":"disk full"}', 'disk full'],
    ['text/plain', '007', undefined],
    ['text/plain', 'x'.repeat(5_000), `${'x'.repeat(200)}…`],
    ['text/plain', '', undefined],
  ])('%s %j is in the message in the words of the target', async (type, body, words) => {
    const target = await canary((_request, response) => response.writeHead(500, { 'content-type': type }).end(body))
    const { message } = await failure(run({ method: 'POST', url: `${target.url}/restart` }))
    const answered = `POST ${target.url}/restart answered 500`
    expect(message).toEqual(typeof words === 'string' ? `${answered}: ${words}` : (words ?? answered))
  })

  it.each([429, 503])('%i says when to ask again', async (status) => {
    const target = await canary((_request, response) => response.writeHead(status, { 'retry-after': '8' }).end())
    expect(await failure(run({ method: 'GET', url: target.url }))).toMatchObject({ retry_after_ms: 8_000 })
  })

  it.each([
    [true, { code: 'timeout', retryable: true, unknown_outcome: false }],
    [false, { code: 'timeout', retryable: false, unknown_outcome: true }],
  ])('that never comes, with idempotent %s', async (idempotent, expected) => {
    const target = await canary(() => undefined)
    const ctx = operatorContext({ egress: ['loopback'], signal: AbortSignal.timeout(100) })
    expect(await failure(run({ method: 'POST', url: target.url, idempotent }, ctx))).toMatchObject(expected)
  })

  it('of a connection that was never made is no unknown outcome', async () => {
    const target = await canary()
    await target.stop()
    const error = await failure(run({ method: 'POST', url: target.url, idempotent: false }))
    expect(error).toMatchObject({ code: 'unreachable', retryable: true, unknown_outcome: false, cost: {} })
  })
})

describe('governance facts', () => {
  const url = 'https://api.example.com/x'
  const parse = (input: JsonObject) => operator.parse({ url, ...input })

  it('a GET is a read, everything else acts', () => {
    const types = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].map((method) =>
      operator.actionType?.(parse({ method })),
    )
    expect(types).toEqual(['read', 'read', 'http.write', 'http.write', 'http.write', 'http.write'])
  })

  it('only what the author calls not idempotent asks before it is repeated', () => {
    expect(operator.replay(parse({ method: 'POST' }))).toBe('safe')
    expect(operator.replay(parse({ method: 'POST', idempotent: false }))).toBe('ask')
    expect(operator.replay(parse({ method: 'GET', idempotent: false }))).toBe('safe')
  })

  it('a declared price is reserved before and settled after', async () => {
    const target = await canary()
    const cost = { llm_usd: 0.0000015, gpu_usd: 2 }
    expect(operator.estimate?.(parse({ method: 'GET', cost }))).toEqual({ llm: 2, gpu: 2_000_000 })
    expect((await run({ method: 'GET', url: target.url, cost })).cost).toEqual({ llm: 2, gpu: 2_000_000 })
    expect(operator.estimate?.(parse({ method: 'GET' }))).toEqual({})
  })

  it('what was never sent cost nothing; what was sent and failed does not say what it cost', async () => {
    const cost = { llm_usd: 0.6 }
    const gone = await canary()
    await gone.stop()
    for (const egress of [[], ['loopback']]) {
      const ctx = operatorContext({ egress })
      expect((await failure(run({ url: gone.url, method: 'POST', cost }, ctx))).cost).toEqual({})
    }
    const answers = [
      (_: unknown, response: ServerResponse) => response.destroy(),
      (_: unknown, response: ServerResponse) => response.writeHead(500).end(),
      (_: unknown, response: ServerResponse) => response.writeHead(404).end(),
    ]
    for (const answer of answers) {
      const target = await canary(answer)
      expect((await failure(run({ url: target.url, method: 'POST', cost }))).cost).toBeUndefined()
    }
  })

  const way = { idempotency_key: 'run_1:act' }
  const command = (input: JsonObject) => operator.describe(parse(input), way).command

  it('what an approver sees is the request to the letter, also where it sounds like a secret', () => {
    const input = parse({
      method: 'POST',
      url: `${url}?token=t&key=k#part`,
      headers: { Authorization: 'Bearer b', Accept: " it's " },
      json: { password: 'p', a: [{ api_key: null }] },
    })
    const at = 'https://api.example.com/x?token=t&key=k'
    expect(operator.describe(input, way)).toEqual({
      summary: `POST ${at}`,
      targets: { kind: 'http', ids: [at] },
      command: [
        `curl -X POST '${at}'`,
        ...[' -H ', "'content-type: application/json'", ' -H ', "'authorization: Bearer b'"],
        ...[' -H ', "'accept: it'\\''s'", ' -H ', "'idempotency-key: run_1:act'"],
        ` --data-raw '{"a":[{"api_key":null}],"password":"p"}'`,
      ],
    })
  })

  it.each([
    ['http://h.test/safe/../restart', 'http://h.test/restart'],
    ['http://h.test/safe/%2e%2E/restart', 'http://h.test/restart'],
    ['http://h.test\\\\evil.test/x', 'http://h.test//evil.test/x'],
    ['HTTP://H.Test:80/a b/\u00fc?q=\u00fc#frag', 'http://h.test/a%20b/%C3%BC?q=%C3%BC'],
    ['http://h.test/re\nstart', 'http://h.test/restart'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
  ])('the url %j is shown and sent as %s', (given, sent) => {
    const input = parse({ method: 'GET', url: given })
    expect(input['url']).toBe(sent)
    expect(operator.describe(input, way).targets.ids).toEqual([sent])
  })

  it('the command line means what is sent, also to a shell and to curl', () => {
    const text = (input: JsonObject) => [command(input)].flat().join('')
    expect(text({ method: 'POST', body: '@/etc/passwd', headers: { 'x-empty': '' } })).toBe(
      `curl -X POST '${url}' -H 'x-empty;' -H 'idempotency-key: run_1:act' -H 'content-type:' --data-raw '@/etc/passwd'`,
    )
    expect(text({ method: 'HEAD', url: `${url}?a[]=1` })).toBe(`curl --head --globoff '${url}?a[]=1'`)
  })

  it('through a connection the url is whole, and its credentials stand by its name', () => {
    const connection = {
      id: 'api',
      kind: 'http',
      url: 'https://svc:s3cret@api.test/v1/',
      target: { kind: 'http', host: 'api.test' },
    }
    const given = parse({
      method: 'GET',
      url: '../v2/x',
      connection: 'api',
      headers: { authorization: 'mine', a: 'b' },
    })
    const input = operator.applyConnection?.(given, connection) ?? {}
    expect(input).toMatchObject({ url: 'https://api.test/v2/x', headers: { a: 'b' } })
    const shown = operator.describe(input, { ...way, connection })
    expect(shown).toMatchObject({
      summary: 'GET https://api.test/v2/x through connection api',
      command: expect.arrayContaining(["'authorization: ", { secret: 'api' }]),
    })
    expect(JSON.stringify(shown)).not.toMatch(/s3cret|mine|c3ZjOn/)
  })

  it('a simulation checks the way, sends nothing and holds no credentials of a connection', async () => {
    const target = await canary()
    const connections = { api: target.url.replace('://', '://:s3cret@') }
    const input = operator.parse({ method: 'POST', url: '/x', connection: 'api', json: { reason: 'r' } })
    const open = await operator.simulate?.(operatorContext({ egress: ['loopback'], connections }), input)
    expect(open).toMatchObject({
      ok: true,
      details: { method: 'POST', url: `${target.url}/x`, addresses: ['127.0.0.1'], json: { reason: 'r' } },
    })
    const shut = await operator.simulate?.(operatorContext({ connections }), input)
    expect(shut).toMatchObject({ ok: false, details: { code: 'egress_denied' } })
    expect(JSON.stringify([open, shut])).not.toContain('s3cret')
    expect(target.connections()).toBe(0)
  })

  it.each([
    { method: 'GET', url: 'ftp://x' },
    { method: 'GET', url: '/relative' },
    { method: 'GET', url: 'http://user:pass@host/' },
    { method: 'TRACE' },
    { method: 'GET', json: {} },
    { method: 'POST', json: {}, body: '' },
    { method: 'GET', url: 'http://[::1/' },
    { method: 'GET', headers: { a: '1', A: '2' } },
    { method: 'GET', headers: { Host: 'x' } },
    { method: 'POST', headers: { 'Idempotency-Key': 'mine' } },
    { method: 'GET', headers: { a: 'b\r\nc: d' } },
    { method: 'GET', accept_status: [] },
    { method: 'GET', max_bytes: 0 },
    { method: 'GET', cost: { llm_usd: -1 } },
    { method: 'GET', ulr: 'typo' },
  ])('refuses %j and says where', (input) => {
    const error = (() => {
      try {
        return parse(input)
      } catch (cause) {
        return cause
      }
    })()
    expect(error).toBeInstanceOf(DomainError)
    expect(error).toMatchObject({ code: 'validation_failed', details: { errors: [{ msg: expect.any(String) }] } })
  })
})
