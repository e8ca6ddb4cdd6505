import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ConnectionTestResult } from '#core/connection/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { startMcpServer } from '#test/support/mcp-server.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { S3_SECRET, type S3Server, startS3Server } from '#test/support/s3-server.ts'
import { startSlackEmulator } from '#test/support/slack-emulator.ts'
import { startSmtpSink } from '#test/support/smtp-sink.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

itIsGuarded('testConnection')
itRefuses('testConnection', sharedWorld, [
  [422, 'secret_required', likeItsExample({ body: { kind: 'http', config: { base_url: 'http://127.0.0.1:1/' } } })],
  [
    501,
    'not_configured',
    async (world, route) => {
      const id = await world.connection()
      const { connection_ports: ports } = world.api.deps.authoring
      const { box } = ports
      const request = await likeItsExample({ body: { id } })(world, route)
      return async () => {
        ports.box = undefined
        return await Promise.resolve(request()).finally(() => {
          ports.box = box
        })
      }
    },
  ],
])

const TOKEN = 'a-token-that-nobody-else-has'

const database = testDatabase()
const opened = testEnvironments(database, {
  'environments/development.yaml': 'name: development\nworkspaces: ["*"]\negress: [loopback]\n',
  'environments/closed.yaml': 'name: closed\nworkspaces: ["*"]\n',
})
const api = testApi(database, () => ({ secret: SECRET, content: { environments: opened.environments } }))
let owner: Record<string, string>
let asked: IncomingMessage[] = []
let respond: (response: ServerResponse, request: IncomingMessage) => void
const server = createServer((request, response) => {
  asked.push(request)
  respond(response, request)
})

beforeAll(async () => {
  owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())
beforeEach(() => {
  asked = []
  respond = (response, { headers }) => {
    response.statusCode = headers.authorization === `Bearer ${TOKEN}` ? 200 : 401
    response.end('WHAT THE TARGET SAYS')
  }
})

const base_url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
async function tried(body: object): Promise<ConnectionTestResult> {
  const answer = await api.post('/ui/api/connections/test', body, owner)
  const text = await answer.text()
  expect([answer.status, text]).toEqual([200, expect.not.stringContaining('WHAT THE TARGET SAYS')])
  return JSON.parse(text)
}
const draft = (changes: object = {}) => ({ kind: 'http', config: { base_url: base_url() }, secret: TOKEN, ...changes })

describe('an HTTP service', () => {
  test('is asked as a step asks it, and stores nothing', async () => {
    const config = { base_url: base_url(), test_path: 'me?brief=1' }
    expect(await tried(draft({ config }))).toMatchObject({ ok: true, status: 'healthy', environment: 'development' })
    expect(asked.map(({ method, url }) => [method, url])).toEqual([['GET', '/v1/me?brief=1']])
    expect(await database.db`select from connections`).toHaveLength(0)
  })

  test.each([
    [401, 'failed', 'it answers 401: the credentials are not accepted'],
    [403, 'failed', 'it answers 403: the credentials are not accepted'],
    [404, 'degraded', 'it answers 404'],
    [500, 'degraded', 'it answers 500'],
  ])('that answers %i is %s, in our words alone', async (code, status, detail) => {
    respond = (response) => {
      response.statusCode = code
      response.end(JSON.stringify({ detail: 'WHAT THE TARGET SAYS' }))
    }
    expect(await tried(draft())).toMatchObject({ ok: false, status, detail })
  })

  test('outside of what the environment may reach is not asked', async () => {
    expect(await tried(draft({ environment: 'closed' }))).toMatchObject({ ok: false, status: 'failed' })
    expect(asked).toEqual([])
    const config = { base_url: 'http://169.254.169.254/latest/meta-data/' }
    expect(await tried(draft({ config }))).toMatchObject({ ok: false, status: 'failed' })
  })

  test('is never asked to change anything', async () => {
    const config = { base_url: base_url(), test_path: 'me?_method=DELETE' }
    expect(await tried(draft({ config }))).toMatchObject({ status: 'failed', detail: expect.stringContaining('read') })
    expect(asked).toEqual([])
  })

  test('that redirects elsewhere does not get the token there', async () => {
    const elsewhere = createServer((request, response) => {
      asked.push(request)
      response.end('{}')
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    respond = (response) => {
      response.writeHead(302, { location: `http://localhost:${(elsewhere.address() as AddressInfo).port}/` })
      response.end()
    }
    await tried(draft())
    elsewhere.close()
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${TOKEN}`, undefined])
  })

  test.each(['http://127.0.0.1:1/', 'http://10.0.0.1/', 'http://', 'ftp://localhost/'])(
    'that points to %s and the token writes it nowhere',
    async (place) => {
      const made = await api.post('/ui/api/connections', { name: `points-${asked.length}`, ...draft() }, owner)
      const { id } = (await made.json()) as { id: string }
      respond = (response, { headers }) => {
        response.writeHead(302, { location: `${place}${headers.authorization?.slice('Bearer '.length)}` })
        response.end()
      }
      for (const body of [draft(), { id }]) {
        const answer = await tried(body)
        expect([answer.status, JSON.stringify(answer)]).toEqual(['failed', expect.not.stringContaining(TOKEN)])
      }
      const rows = await database.db<{ text: string }[]>`
        select c::text || (select string_agg(draft::text, '') from audit_outbox) as text from connections c`
      expect(rows.map(({ text }) => text.includes(TOKEN))).not.toContain(true)
      await database.db`delete from connections`
    },
  )

  test('that nothing listens for is named, without the token', async () => {
    const answer = await tried(draft({ config: { base_url: 'http://127.0.0.1:1/' } }))
    expect(answer).toMatchObject({ ok: false, status: 'failed', detail: expect.stringContaining('127.0.0.1') })
    expect(JSON.stringify(answer)).not.toContain(TOKEN)
  })
})

describe('a Prometheus', () => {
  const prometheus = (changes: object = {}) => draft({ kind: 'prometheus', ...changes })

  test('answers a query, as a step would send it', async () => {
    respond = (response) => {
      const data = { resultType: 'vector', result: [{ metric: {}, value: [1_767_225_600, '1'] }] }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ status: 'success', data }))
    }
    expect(await tried(prometheus())).toMatchObject({ status: 'healthy', detail: 'it answers a query' })
    expect(asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/v1/api/v1/query?query=vector%281%29&timeout=30000ms', `Bearer ${TOKEN}`],
    ])
  })

  test('that is something else, or does not accept the token, says so', async () => {
    expect(await tried(prometheus())).toMatchObject({ status: 'failed', detail: expect.stringContaining('Prometheus') })
    const refused = { status: 'failed', detail: 'it answers 401: the credentials are not accepted' }
    expect(await tried(prometheus({ secret: 'another' }))).toMatchObject(refused)
  })
})

describe('a Slack', () => {
  test('is asked whether it accepts the token, and gets no message', async () => {
    const slack = await startSlackEmulator(TOKEN)
    const body = { kind: 'slack', config: { base_url: slack.api_url } }
    expect(await tried({ ...body, secret: TOKEN })).toMatchObject({ status: 'healthy', detail: 'it accepts the token' })
    const detail = 'the server does not accept the credentials'
    expect(await tried({ ...body, secret: 'another' })).toMatchObject({ status: 'failed', detail })
    expect([slack.calls.map(({ method }) => method), slack.posts]).toEqual([['auth.test', 'auth.test'], []])
    await slack.close()
  })
})

describe('a mail server', () => {
  const sent = async (sink: Awaited<ReturnType<typeof startSmtpSink>>, secret: string) => {
    const config = { host: '127.0.0.1', port: Number(new URL(sink.url).port), tls: 'none', user: 'svc' }
    return await tried({ kind: 'smtp', config, secret }).finally(() => sink.close())
  }

  test('is signed in at, and gets no mail', async () => {
    const sink = await startSmtpSink({ login: { user: 'svc', pass: TOKEN } })
    expect(await sent(sink, TOKEN)).toMatchObject({ status: 'healthy', detail: 'it accepts the sign-in' })
    expect([sink.connected, sink.received]).toEqual([[TOKEN], []])
  })

  test('that does not accept the password says so', async () => {
    const sink = await startSmtpSink({ login: { user: 'svc', pass: TOKEN } })
    const detail = 'the server does not accept the credentials'
    expect(await sent(sink, 'another')).toMatchObject({ status: 'failed', detail })
  })

  test('on another machine takes no connection without TLS', async () => {
    const body = { kind: 'smtp', auth: 'none', config: { host: 'mail.example.com', tls: 'none' } }
    expect((await api.post('/ui/api/connections/test', body, owner)).status).toBe(422)
  })
})

describe('a bucket', () => {
  let bucket: S3Server
  beforeAll(async () => {
    bucket = await startS3Server()
  })
  afterAll(() => bucket.close())
  const ours = (changes: object = {}, secret = S3_SECRET) => ({
    ...{ kind: 's3', config: { ...bucket.config, prefix: 'svc', ...changes }, secret },
  })

  test('is asked for one key', async () => {
    expect(await tried(ours())).toMatchObject({ ok: true, status: 'healthy', detail: 'it lists the bucket' })
    expect(bucket.objects.size).toBe(0)
  })

  test.each<[string, () => object, string]>([
    ['a wrong secret', () => ours({}, 'wrong'), 'the secret access key'],
    ['another bucket', () => ours({ bucket: 'missing' }), 'there is no bucket missing'],
    ['an environment that does not reach it', () => ({ ...ours(), environment: 'closed' }), 'not public'],
  ])('with %s is told in our words', async (_what, body, says) => {
    const answer = await tried(body())
    expect(answer).toMatchObject({ ok: false, status: 'failed', detail: expect.stringContaining(says) })
    expect(JSON.stringify(answer)).not.toContain(S3_SECRET)
  })
})

describe('a server of tools', () => {
  let tools: Awaited<ReturnType<typeof startMcpServer>>
  beforeAll(async () => {
    tools = await startMcpServer({ token: TOKEN })
  })
  afterAll(() => tools.stop())
  const ours = (changes: object = {}) => ({ kind: 'mcp', config: { url: tools.url }, secret: TOKEN, ...changes })

  test('lists its tools, and none is called', async () => {
    expect(await tried(ours())).toMatchObject({ ok: true, status: 'healthy', detail: 'it lists its tools' })
    expect(tools.requests.map(({ method }) => method)).toEqual([
      ...['server/discover', 'initialize', 'notifications/initialized', 'tools/list', 'tools/list', 'DELETE'],
    ])
  })

  test.each<[string, () => object, string]>([
    ['a wrong token', () => ours({ secret: 'wrong' }), 'it answers 401: the credentials are not accepted'],
    [
      'a service that is none',
      () => ours({ config: { url: base_url() } }),
      'the server does not answer initialize as MCP',
    ],
    ['an environment that does not reach it', () => ours({ environment: 'closed' }), 'not public'],
  ])('with %s is told in our words', async (_what, body, says) => {
    expect(await tried(body())).toMatchObject({ ok: false, status: 'failed', detail: expect.stringContaining(says) })
  })
})

describe('a database', () => {
  const ours = () => {
    const { hostname, port, pathname, username, password } = new URL(database.url)
    const config = {
      ...{ host: hostname, port: Number(port || 5432), database: pathname.slice(1) },
      ...{ user: decodeURIComponent(username), sslmode: 'disable' },
    }
    return { kind: 'postgres', config, secret: decodeURIComponent(password) || 'unused' }
  }

  test('answers a query', async () => {
    expect(await tried(ours())).toMatchObject({ ok: true, status: 'healthy', detail: 'it answers a query' })
  })

  test('that does not let the user in says so', async () => {
    const { config, ...rest } = ours()
    const answer = await tried({ ...rest, config: { ...config, database: 'no_such_database' } })
    expect(answer).toMatchObject({
      ok: false,
      status: 'failed',
      detail: `the server does not let user ${config.user} into database no_such_database`,
    })
  })

  test('outside of what the environment may reach is not asked', async () => {
    let met = 0
    const listener = createSocketServer((socket) => {
      met += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as AddressInfo
    const { config, ...rest } = ours()
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]'])
      expect(await tried({ ...rest, config: { ...config, host, port }, environment: 'closed' })).toMatchObject({
        ...{ ok: false, status: 'failed' },
      })
    listener.close()
    expect(met).toBe(0)
  })
})

describe('a stored connection', () => {
  let names = 0
  async function stored(): Promise<string> {
    names += 1
    const name = `tried-${names}`
    const answer = await api.post('/ui/api/connections', { name, ...draft() }, owner)
    return ((await answer.json()) as { id: string }).id
  }
  const shown = async (id: string) => await (await api.get(`/ui/api/connections/${id}`, owner)).json()

  test('keeps the outcome, and is tested with its own secret', async () => {
    const id = await stored()
    const answer = await tried({ id })
    expect(answer).toMatchObject({ ok: true, status: 'healthy' })
    expect(await shown(id)).toMatchObject({ status: 'healthy', last_test: { ok: true, at: answer.at } })
  })

  test('that is changed for the test keeps nothing, and its secret goes nowhere else', async () => {
    const id = await stored()
    expect(await tried({ id, secret: 'another' })).toMatchObject({ ok: false, status: 'failed' })
    expect(await shown(id)).toMatchObject({ status: 'untested' })
    const config = { base_url: 'http://localhost:1/' }
    const refused = await api.post('/ui/api/connections/test', { id, config }, owner)
    expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'secret_required' }])
  })

  test('is on record before it is asked', async () => {
    const id = await stored()
    respond = (response) => void response.socket?.destroy()
    await tried({ id })
    const records = await database.db`
      select draft -> 'data' as data from audit_outbox
      where draft ->> 'action' = 'connection.tested' and draft #>> '{subject,id}' = ${id}`
    expect(records).toMatchObject([{ data: { kind: 'http', environment: 'development', version: 1 } }])
  })
})
