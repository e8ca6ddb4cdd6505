import { type AddressInfo, createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { OperatorError } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'

const started: Canary[] = []
const canary: typeof startCanary = async (answer) => {
  const one = await startCanary(answer)
  started.push(one)
  return one
}
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
})

const failure = async (work: Promise<unknown>): Promise<OperatorError> => {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error instanceof OperatorError) return error
  throw new Error(`expected an OperatorError, got ${String(error)}`)
}

/** Hosts that reach this machine, its link, its cloud or its private network when nobody looks closely. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0x7f.1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0x0',
  '000.000.000.000',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.170.2',
  '100.100.100.200',
  '100.64.0.1',
  '168.63.129.16',
  '192.0.0.192',
  '10.0.0.1',
  '0xa000001',
  '167772161',
  '172.16.0.1',
  '192.168.0.1',
  '192.168.1',
  '198.18.0.1',
  '192.0.2.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '%31%32%37.0.0.1',
]

describe('a forbidden address', () => {
  const loopbackLookup = async () => [{ address: '127.0.0.1', family: 4 }]

  it('is refused in every spelling, before anything connects', async () => {
    const target = await canary()
    const client = createEgressClient({ lookup: loopbackLookup })
    expect(HOSTS.length).toBeGreaterThanOrEqual(60)
    for (const host of HOSTS) {
      const url = `http://${host}:${target.port}/`
      const error = await failure(client.request({ method: 'GET', url, egress: [] }))
      expect
        .soft([host, error.code, error.retryable, error.details?.sent])
        .toEqual([host, 'egress_denied', false, false])
    }
    expect(target.connections()).toBe(0)
  })

  it('is refused behind a redirect, in every spelling', async () => {
    const target = await canary()
    let location = ''
    const redirecting = await canary((_request, response) => response.writeHead(302, { location }).end())
    const client = createEgressClient({ lookup: loopbackLookup })
    const egress = ['door.test']
    for (const host of HOSTS) {
      location = encodeURI(`http://${decodeURIComponent(host)}:${target.port}/`)
        .replace('%5B', '[')
        .replace('%5D', ']')
      const url = `http://door.test:${redirecting.port}/`
      const error = await failure(client.request({ method: 'GET', url, egress }))
      expect.soft([host, error.code]).toEqual([host, 'egress_denied'])
    }
    expect(redirecting.requests).toHaveLength(HOSTS.length)
    expect(target.connections()).toBe(0)
  })

  it('is refused when the system resolves a name to it', async () => {
    const target = await canary()
    const url = `http://localhost:${target.port}/`
    const error = await failure(createEgressClient().request({ method: 'GET', url, egress: [] }))
    expect(error.code).toBe('egress_denied')
    expect(target.connections()).toBe(0)
  })

  it('refuses a name of which one address alone is forbidden', async () => {
    const target = await canary()
    const client = createEgressClient({
      lookup: async () => [
        { address: '1.1.1.1', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ],
    })
    const url = `http://mixed.test:${target.port}/`
    expect((await failure(client.request({ method: 'GET', url, egress: [] }))).code).toBe('egress_denied')
    expect(target.connections()).toBe(0)
  })

  it('is not reached when DNS changes its answer after the check', async () => {
    const target = await canary()
    let asked = 0
    const client = createEgressClient({
      lookup: async () => {
        asked += 1
        return asked === 1 ? [{ address: '::1', family: 6 }] : [{ address: '127.0.0.1', family: 4 }]
      },
    })
    const request = { method: 'GET', url: `http://rebind.test:${target.port}/`, egress: ['::1/128'] }
    expect((await client.request(request)).remote_address).toBe('::1')
    expect(asked).toBe(1)
    expect((await failure(client.request(request))).code).toBe('egress_denied')
    expect(target.connections()).toBe(1)
  })

  it.each([
    'ftp://1.1.1.1/',
    'file:///etc/passwd',
    'gopher://1.1.1.1/',
    'data:text/plain,x',
    'http://u:p@1.1.1.1/',
    'http://u@1.1.1.1/',
    '//1.1.1.1/',
    'nonsense',
    '',
  ])('refuses %j: only http and https, and no credentials', async (url) => {
    const error = await failure(createEgressClient().request({ method: 'GET', url, egress: ['0.0.0.0/0', 'loopback'] }))
    expect(error.code).toBe('egress_denied')
    expect(error.message).not.toContain(':p@')
  })
})

describe('an allowed address', () => {
  it('is reached through the environment, and the answer says which address it was', async () => {
    const target = await canary()
    const client = createEgressClient()
    const answer = await client.request({ method: 'GET', url: `${target.url}/x`, egress: ['loopback'] })
    expect(answer).toMatchObject({ status: 200, remote_address: '127.0.0.1' })
    expect(answer.body.toString()).toBe('ok')
    const v6 = await client.request({ method: 'GET', url: `http://[::1]:${target.port}/`, egress: ['::1/128'] })
    expect(v6.remote_address).toBe('::1')
  })

  it('gets the name it was called by, at the address that was checked', async () => {
    const target = await canary()
    const client = createEgressClient({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
    await client.request({ method: 'GET', url: `http://named.test:${target.port}/`, egress: ['loopback'] })
    expect(target.requests[0]?.headers.host).toBe(`named.test:${target.port}`)
  })

  it('tells a refused connection from a lost one', async () => {
    const target = await canary((request) => request.socket.destroy())
    const client = createEgressClient()
    const request = { method: 'POST', url: target.url, egress: ['loopback'] }
    expect(await failure(client.request(request))).toMatchObject({
      code: 'connection_lost',
      retryable: true,
      details: { sent: true },
    })
    await target.stop()
    expect(await failure(client.request(request))).toMatchObject({
      code: 'unreachable',
      retryable: true,
      details: { sent: false },
    })
  })

  it('stops when the signal says so, and knows that the target has seen the request', async () => {
    const target = await canary(() => undefined)
    const client = createEgressClient()
    const request = { method: 'GET', url: target.url, egress: ['loopback'] }
    const timedOut = await failure(client.request({ ...request, signal: AbortSignal.timeout(100) }))
    expect(timedOut).toMatchObject({ code: 'timeout', details: { sent: true } })
    const aborted = await failure(client.request({ ...request, signal: AbortSignal.abort() }))
    expect(aborted).toMatchObject({ code: 'aborted', details: { sent: false } })
  })

  it('stops waiting for DNS when the signal says so', async () => {
    const client = createEgressClient({ lookup: () => new Promise(() => undefined) })
    const request = { method: 'GET', url: 'http://slow.test/', egress: [], signal: AbortSignal.timeout(50) }
    expect((await failure(client.request(request))).code).toBe('timeout')
  })
})

describe('a response', () => {
  it('beyond the limit is an error and the connection ends, announced or not', async () => {
    let closed = 0
    let announce = true
    const target = await canary((request, response) => {
      request.socket.on('close', () => {
        closed += 1
      })
      if (announce) response.writeHead(200, { 'content-length': '100000' })
      const feed = () => {
        while (!response.destroyed && response.write('x'.repeat(1_000)));
      }
      response.on('drain', feed)
      feed()
    })
    const client = createEgressClient()
    const request = { method: 'GET', url: target.url, egress: ['loopback'], max_bytes: 10_000 }
    expect((await failure(client.request(request))).code).toBe('response_too_large')
    announce = false
    expect((await failure(client.request(request))).code).toBe('response_too_large')
    await expect.poll(() => closed).toBe(2)
  })

  it('of exactly the limit is accepted', async () => {
    const target = await canary((_request, response) => response.end('x'.repeat(1_000)))
    const request = { method: 'GET', url: target.url, egress: ['loopback'], max_bytes: 1_000 }
    expect((await createEgressClient().request(request)).body).toHaveLength(1_000)
  })

  it('to HEAD may announce any length', async () => {
    const target = await canary((_request, response) => response.writeHead(200, { 'content-length': '99999999' }).end())
    const answer = await createEgressClient().request({ method: 'HEAD', url: target.url, egress: ['loopback'] })
    expect(answer.headers['content-length']).toBe('99999999')
  })

  it('to HEAD may bring a body, which is not read', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n<Error/>'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const answer = await createEgressClient().request({ method: 'HEAD', url, egress: ['loopback'] })
    server.close()
    expect([answer.status, answer.body.byteLength]).toEqual([404, 0])
  })
})

describe('a redirect', () => {
  const SECRETS = {
    authorization: 'Bearer s3cret',
    cookie: 'session=s3cret',
    'x-api-key': 's3cret',
    'x-vault': 's3cret',
    'idempotency-key': 'run_1:act',
    accept: 'text/plain',
  }

  it('of a read to another origin carries nothing that was meant for the first, to the same origin all of it', async () => {
    const other = await canary()
    const first = await canary((request, response) => {
      const location = request.url === '/away' ? `${other.url}/x?token=s3cret` : '/here'
      if (request.url === '/here') response.end('here')
      else response.writeHead(307, { location }).end()
    })
    const client = createEgressClient()
    const request = { method: 'GET', headers: SECRETS, egress: ['loopback'] }
    const away = await client.request({ ...request, url: `${first.url}/away` })
    const { host: _host, connection: _connection, ...reported } = other.requests[0]?.headers ?? {}
    expect(reported).toEqual({ accept: 'text/plain', 'accept-encoding': 'identity', 'user-agent': 'svc' })
    expect(away.redirects).toEqual([{ status: 307, location: `${other.url}/x?token=<hidden>` }])
    const here = await client.request({ ...request, url: `${first.url}/start` })
    expect(first.requests.at(-1)).toMatchObject({ method: 'GET', url: '/here', headers: SECRETS })
    expect(here.redirects).toEqual([{ status: 307, location: `${first.url}/here` }])
  })

  it.each([301, 302, 303, 307, 308])('%i of a HEAD stays a HEAD', async (status) => {
    const target = await canary((request, response) =>
      request.url === '/end' ? response.end() : response.writeHead(status, { location: '/end' }).end(),
    )
    await createEgressClient().request({ method: 'HEAD', url: target.url, egress: ['loopback'] })
    expect(target.requests.map(({ method, url }) => [method, url])).toEqual([
      ['HEAD', '/'],
      ['HEAD', '/end'],
    ])
  })

  it.each(
    ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) =>
      [301, 302, 303, 307, 308].map((status) => [method, status] as const),
    ),
  )('of a %s is handed back as the answer %i, no matter what was asked for', async (method, status) => {
    const other = await canary()
    const target = await canary((_request, response) => response.writeHead(status, { location: other.url }).end())
    const answer = await createEgressClient().request({
      method,
      url: target.url,
      egress: ['loopback'],
      max_redirects: 5,
    })
    expect(answer).toMatchObject({ status, redirects: [] })
    expect([target.requests.length, other.connections()]).toEqual([1, 0])
  })

  it('to where the environment does not reach is refused, and the way there is told', async () => {
    const target = await canary((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    )
    const error = await failure(createEgressClient().request({ method: 'GET', url: target.url, egress: ['loopback'] }))
    expect(error).toMatchObject({
      code: 'egress_denied',
      details: { redirects: [{ status: 302, location: 'http://169.254.169.254/latest' }] },
    })
  })

  it('is followed five times and no more', async () => {
    const target = await canary((_request, response) => response.writeHead(302, { location: '/again' }).end())
    const request = { method: 'GET', url: target.url, egress: ['loopback'] }
    expect((await failure(createEgressClient().request(request))).code).toBe('too_many_redirects')
    expect(target.requests).toHaveLength(6)
    expect((await createEgressClient().request({ ...request, max_redirects: 0 })).status).toBe(302)
  })
})

describe('a malformed request', () => {
  it('is refused instead of smuggling a header', async () => {
    const target = await canary()
    const headers = { 'x-a': 'b\r\nx-evil: 1' }
    const error = await failure(
      createEgressClient().request({ method: 'GET', url: target.url, headers, egress: ['loopback'] }),
    )
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false })
    expect(target.connections()).toBe(0)
  })
})
