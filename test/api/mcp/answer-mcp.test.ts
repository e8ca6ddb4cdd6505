import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'
import { callOf, initialize, messageOf } from '#test/support/mcp-messages.ts'
import { SECRET } from '#test/support/users.ts'

itIsGuarded('answerMcp')

const Result = z.looseObject({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })).optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
})
const Answer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  result: Result.optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
})

const world = guardWorld()

type Headers = Record<string, string>
const send = (message: unknown, headers: Headers) => world.api.post('/mcp', message, headers)
const ask = async (message: unknown, who = 'viewer', headers: Headers = {}) =>
  Answer.parse(await (await send(message, { ...world.as(who), ...headers })).json())
async function call(name: string, given: object = {}, who = 'viewer', headers: Headers = {}) {
  const { result } = await ask(callOf(name, given), who, headers)
  return Result.parse(result)
}

describe('the protocol', () => {
  test('is Streamable HTTP without sessions, answered as JSON', async () => {
    const answer = await send(initialize(7), world.as('viewer'))
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('mcp-session-id')]).toEqual([
      200,
      'application/json',
      null,
    ])
    expect(await answer.json()).toMatchObject({
      id: 7,
      result: {
        protocolVersion: '2025-11-25',
        serverInfo: { name: 'svc' },
        capabilities: { tools: {}, resources: {} },
      },
    })
    const taken = await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, world.as('viewer'))
    expect([taken.status, await taken.text()]).toEqual([202, ''])
  })

  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])('%s is 405, and says what is offered', async (method) => {
    const answer = await world.api.app.request('/mcp', { method, headers: world.as('viewer') })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('has no batches', async () => {
    const refused = await send([callOf('listRuns'), callOf('listRuns', {}, 2)], world.as('viewer'))
    expect([refused.status, await refused.json()]).toEqual([
      422,
      {
        ...{ jsonrpc: '2.0', id: null },
        error: {
          ...{ code: -32_600, message: 'Each message is sent alone: batches are not taken.' },
          data: { code: 'validation_failed' },
        },
      },
    ])
  })

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    // it obliges a server to take batches
    ['2025-03-26', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    ['2024-10-07', '2025-11-25'],
  ])('anyone who asks for revision %s is offered %s', async (asked, offered) => {
    const answer = await send(initialize(7, asked), world.as('viewer'))
    expect(await answer.json()).toMatchObject({ id: 7, result: { protocolVersion: offered } })
    const after = await send(callOf('listRuns'), { ...world.as('viewer'), 'mcp-protocol-version': asked })
    expect(after.status).toBe(asked === offered ? 200 : 400)
  })

  test('has no methods but those of tools and resources', async () => {
    for (const method of [
      'prompts/list',
      'logging/setLevel',
      'completion/complete',
      'resources/subscribe',
      'tasks/list',
    ])
      expect((await ask(messageOf(method, { uri: 'svc://packs', level: 'debug' }))).error?.code, method).toBe(-32_601)
  })

  test('opens no stream, also of the newest revision', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = {
      ...world.as('viewer'),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    }
    const listen = messageOf('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: meta })
    const answer = await send(listen, headers)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(Answer.parse(await answer.json()).error?.message).toContain('limit')
  })
})

describe('who may', () => {
  test('is anyone who has a token for this API', async () => {
    const other = await new SignJWT({ tv: 1, scope: '' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setIssuer('svc')
      .setAudience('https://elsewhere.example')
      .setSubject('usr_local')
      .setIssuedAt()
      .setNotBefore('0s')
      .setExpirationTime('1h')
      .setJti('x')
      .sign(new TextEncoder().encode(SECRET))
    expect((await send(initialize(), { authorization: `Bearer ${other}` })).status).toBe(401)
    const nobody = await send(initialize(), {})
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)])
  })

  test('is no browser by its cookie', async () => {
    const session = await world.api.app.request('/console/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: 'localhost', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ email: world.credentials['username'], password: world.credentials['password'] }),
    })
    expect(session.status).toBe(200)
    const { csrf } = z.object({ csrf: z.string() }).parse(await session.json())
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const headers = { cookie, 'x-svc-csrf': csrf, 'sec-fetch-site': 'same-origin', host: 'localhost' }
    expect((await world.api.get('/auth/me', headers)).status).toBe(200)
    expect((await send(initialize(), headers)).status).toBe(401)
  })

  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an origin that hides', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://localhost:1' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a name that was rebound', { host: 'evil.example:9090', origin: 'http://evil.example:9090' }],
    ['a foreign host alone', { host: 'evil.example' }],
    ['a host that begins like ours', { host: 'localhost.evil.example' }],
    ['a host that is no host', { host: 'a b' }],
  ])('%s is 403, before anybody is asked who they are', async (_what, headers) => {
    for (const who of ['owner', 'nobody']) {
      const answer = await send(initialize(), { ...world.as(who), ...headers })
      expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining({ code: 'forbidden' })])
    }
  })

  test.each([
    { host: 'localhost:9090' },
    { host: '127.0.0.1:9090', origin: 'http://127.0.0.1:9090' },
    { host: '10.1.2.3' },
  ])('%j is us', async (headers) =>
    expect((await send(initialize(), { ...world.as('viewer'), ...headers })).status).toBe(200),
  )
})

describe('a call', () => {
  test('answers what the operation answers', async () => {
    const { structuredContent, content, isError } = await call('getRun', { id: world.run })
    expect(isError).toBeUndefined()
    expect(structuredContent).toEqual(await (await world.api.get(`/runs/${world.run}`, world.as('viewer'))).json())
    expect(JSON.parse(content?.[0]?.text ?? '')).toEqual(structuredContent)
  })

  test('goes from page to page', async () => {
    await world.queuedRun()
    const first = (await call('listRuns', { limit: 1 })).structuredContent
    const second = (await call('listRuns', { limit: 1, cursor: first?.['next_cursor'] })).structuredContent
    expect(first?.['items']).toHaveLength(1)
    expect(second?.['items']).toHaveLength(1)
    expect(second?.['items']).not.toEqual(first?.['items'])
  })

  test('is counted and logged under the operation, with the id of the message', async () => {
    world.api.lines.length = 0
    await call('getRun', { id: world.run }, 'viewer', { 'x-request-id': 'req-of-an-agent' })
    const logged = world.api.lines.filter(({ message }) => message === 'request').map(({ fields }) => fields)
    expect(logged).toMatchObject([
      { operation: 'getRun', request_id: 'req-of-an-agent', status: 200 },
      { operation: 'answerMcp', request_id: 'req-of-an-agent', status: 200 },
    ])
  })

  test('takes from the limit of the caller, and says that the same may succeed later', async () => {
    const { limiter } = world.api.deps
    let left = 1
    world.api.deps.limiter = {
      take: async () => {
        left -= 1
        if (left < 0) throw new DomainError('rate_limited', 'Too many requests.', { retry_after_s: 3, limit: 1 })
      },
    }
    try {
      const { isError, structuredContent, content } = await call('listRuns')
      expect([isError, structuredContent]).toMatchObject([
        true,
        { code: 'rate_limited', retry: 'same', retry_after_s: 3 },
      ])
      expect(content?.[0]?.text).toContain('Wait 3 s.')
      expect((await send(callOf('listRuns'), world.as('viewer'))).status).toBe(429)
    } finally {
      world.api.deps.limiter = limiter
    }
  })

  test('is answered by the operation that it is for, or by none', async () => {
    const asked = (only: string) => world.api.app.request('/runs', { headers: world.as('owner') }, { only })
    expect((await asked('listRuns')).status).toBe(200)
    expect((await asked('getRun')).status).toBe(404)
  })

  test.each([
    ['resumeRun', { id: 'x', decision: 'approve' }],
    ['cancelRun', { id: 'x' }],
    ['streamRun', { id: 'x' }],
    ['downloadArtifact', { id: 'x' }],
    ['listUsers', {}],
    ['getMetrics', {}],
    ['answerMcp', {}],
    ['constructor', {}],
    ['__proto__', {}],
    ['', {}],
  ])('of %s is a call of no tool, for an owner too', async (name, given) => {
    expect((await ask(callOf(name, given), 'owner')).error?.code).toBe(-32_602)
  })

  test.each([
    ['a download', 'listAudit', { format: 'csv' }, 'validation_failed'],
    ['a misspelt filter', 'listRuns', { statuz: 'failed' }, 'validation_failed'],
    ['a limit that is too high', 'listRuns', { limit: 201 }, 'validation_failed'],
    ['an unknown word', 'listRuns', { status: 'nonsense' }, 'validation_failed'],
    ['a list of words', 'listRuns', { status: ['failed'] }, 'validation_failed'],
    ['a way up', 'getStep', { id: '..', step: '..' }, 'invalid_path'],
    ['a way into another operation', 'getRun', { id: `run_${'0'.repeat(26)}/artifacts/download` }, 'invalid_path'],
    ['a query in a name', 'getRun', { id: 'x?workspace=y' }, 'invalid_path'],
    ['an unknown id', 'getRun', { id: `run_${'7'.padEnd(26, 'z')}` }, 'not_found'],
    ['no id', 'getRun', {}, 'validation_failed'],
  ])('with %s is a result that says so', async (_what, name, given, code) => {
    const { isError, structuredContent } = await call(name, given, 'owner')
    expect([isError, structuredContent]).toMatchObject([true, { code, retry: 'other' }])
  })

  test.each([{ arguments: [] }, { arguments: 'x' }, { name: 7 }, { name: 'listRuns', arguments: null }])(
    'of the shape %j is refused by the protocol',
    async (params) => expect((await ask(messageOf('tools/call', params))).error?.code).toBe(-32_602),
  )

  test('with text that is none is refused as any body is', async () => {
    expect((await send(callOf('listRuns', { q: '\u0000' }), world.as('viewer'))).status).toBe(400)
  })
})

describe('a workspace', () => {
  test('is that of the path, the header or the caller, and no other', async () => {
    const of = async (headers: Headers, who: string) =>
      (await call('getRun', { id: world.run }, who, headers)).structuredContent?.['code']
    expect(await of({}, 'viewer')).toBeUndefined()
    expect(await of({}, 'stranger')).toBe('not_found')
    expect(await of({ 'x-svc-workspace': world.other }, 'owner')).toBe('not_found')
    expect((await send(callOf('listRuns'), { ...world.as('viewer'), 'x-svc-workspace': world.other })).status).toBe(404)
    const path = `/workspaces/${world.other}/mcp`
    const beside = await world.api.post(path, callOf('listRuns'), world.as('owner'))
    // other files may have made runs there
    const Items = z.object({ items: z.array(z.looseObject({ workspace_id: z.literal(world.other) })) })
    Items.parse(Answer.parse(await beside.json()).result?.structuredContent)
    expect((await world.api.post(path, callOf('listRuns'), world.as('viewer'))).status).toBe(404)
    const both = { ...world.as('owner'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
    expect((await world.api.post(path, callOf('listRuns'), both)).status).toBe(400)
  })

  test('is that of an API key, whose scopes count', async () => {
    expect((await call('listRuns', {}, 'key runs:read')).isError).toBeUndefined()
    for (const who of ['key runs:start', 'key approvals:on_behalf', 'key admin', 'key revoked', 'key expired'])
      expect([401, 403]).toContain((await send(callOf('listRuns'), world.as(who))).status)
  })
})

describe('resources', () => {
  const Resources = z.object({ resources: z.array(z.looseObject({ uri: z.string(), mimeType: z.string() })) })
  const Contents = z.object({
    contents: z.array(z.object({ uri: z.string(), text: z.string(), mimeType: z.string() })),
  })

  test('are the templates and the pages of the documentation, and each can be read', async () => {
    const { resources } = Resources.parse((await ask(messageOf('resources/list'))).result)
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toEqual(
      expect.arrayContaining([
        'svc://packs',
        'svc://packs/incident/service-recovery',
        'svc://docs/policies.md',
        'svc://docs/errors/not_found.md',
      ]),
    )
    for (const { uri, mimeType } of resources) {
      const { contents } = Contents.parse((await ask(messageOf('resources/read', { uri }))).result)
      expect(contents).toMatchObject([{ uri, mimeType }])
      expect(contents[0]?.text.length, uri).toBeGreaterThan(50)
    }
  })

  test.each([
    'svc://docs/../package.json',
    'svc://docs/%2e%2e/package.json',
    'svc://docs/errors/../../package.json',
    'svc://docs/',
    'svc://packs/none/none',
    'svc://packs/../runs',
    'svc://packs/incident/service-recovery/graph',
    'file:///etc/passwd',
    '../package.json',
    '',
  ])('has none at %j', async (uri) => {
    const { error, result } = await ask(messageOf('resources/read', { uri }))
    expect([error?.code, result]).toEqual([-32_602, undefined])
  })
})

describe('where it is off', () => {
  const database = testDatabase()
  const api = testApi(database, { mcp: false })

  test.each(['POST', 'GET', 'DELETE'])('%s is 404, and nothing describes it', async (method) => {
    const body = method === 'POST' ? { body: JSON.stringify(initialize()) } : {}
    const headers = { 'content-type': 'application/json' }
    expect((await api.app.request('/mcp', { method, headers, ...body })).status).toBe(404)
    const document = z
      .object({ paths: z.record(z.string(), z.unknown()) })
      .parse(await (await api.get('/openapi.json')).json())
    expect(Object.keys(document.paths)).not.toContain('/mcp')
  })
})
