import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { describe, expect, inject, test } from 'vitest'
import { createDb, type Db } from '#store/db.ts'
import { layFaultyLine } from '#test/support/faulty-line.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { selfSigned } from '#test/support/self-signed.ts'

const line = fileFixture(layFaultyLine)
const front = fileFixture(() => startTlsFront(new URL(line.url(inject('postgres_url')))))

const PLAIN = () => line.url(inject('postgres_url'))
const TLS = (mode: string) => () => `${PLAIN().replace(/:\d+\//, `:${front.port}/`)}?sslmode=${mode}`

/** A server that speaks TLS and forwards what it receives; its clients are reset when the line is cut. */
async function startTlsFront(target: URL) {
  const now = Date.now()
  const valid = { from: new Date(now - 60_000), to: new Date(now + 3_600_000) }
  const { certificate: cert, private_key } = selfSigned('127.0.0.1', valid)
  const key = private_key.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer(async (near) => {
    near.on('error', () => undefined)
    await once(near, 'data')
    near.write('S')
    const secured = new TLSSocket(near, { isServer: true, key, cert })
    const far = connect(Number(target.port), target.hostname)
    for (const end of [secured, far]) end.on('error', () => undefined)
    far.once('close', () => near.resetAndDestroy())
    secured.once('close', () => far.destroy())
    secured.pipe(far).pipe(secured)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    async stop() {
      server.close()
      await once(server, 'close')
    },
  }
}

async function within<Value>(ms: number, value: PromiseLike<Value>): Promise<Value | 'no answer'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'no answer'>((resolve) => {
    timer = setTimeout(resolve, ms, 'no answer')
  })
  return await Promise.race([value, late]).finally(() => clearTimeout(timer))
}

async function using(url: string, work: (db: Db) => Promise<void>): Promise<void> {
  const db = createDb(url, { max: 1, name: 'test-lost-socket' })
  try {
    await work(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}

describe.each([
  ['plain', PLAIN],
  ['over TLS', TLS('require')],
])('a connection that is reset, %s', (_, url) => {
  test('answers the caller that asks again at once, and no later one gets the answer of another', () =>
    using(url(), async (db) => {
      expect(await db`select 0 as n`).toEqual([{ n: 0 }])
      line.arm(0, 'cut')
      const code = (error: { code?: string }) => error.code
      const [first, second] = await Promise.all([
        db`select 1 as n`.catch(code),
        // in the same moment in which the first is told of its loss
        db`select 1 as n`.catch(() => within(5_000, db`select 2 as n`.catch(code))),
      ])
      line.disarm()
      expect(first).toBe('ECONNRESET')
      expect(second).toEqual([{ n: 2 }])
      for (const n of [3, 4, 5]) expect(await within(5_000, db.unsafe(`select ${n} as n`))).toEqual([{ n }])
    }))
})

test.each([
  ['plain', PLAIN],
  ['over TLS', TLS('require')],
])('a connection that ends before its statement was sent is replaced by one that works, %s', (_, url) =>
  using(url(), async (db) => {
    const sockets = socketsOf(db)
    for (let n = 0; n < 3; n += 1) {
      await db`select 0`
      sockets.at(-1)?.destroy()
      // the driver would send it in the next turn, and is told of the end in this one
      await new Promise(setImmediate)
      await expect(db`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
      expect(await within(4_000, db`select ${n}::int4 as n`)).toEqual([{ n }])
    }
    expect(sockets).toHaveLength(4)
  }),
)

/** The sockets of a pool, in the order of their opening. */
function socketsOf(db: Db): Socket[] {
  const sockets: Socket[] = []
  const options = db.options as unknown as { socket(options: object): Promise<Socket> }
  const { socket: open } = options
  options.socket = async (given) => {
    const socket = await open(given)
    sockets.push(socket)
    return socket
  }
  return sockets
}

test('one that is closed before it is secured is refused, and the next one is tried', async () => {
  const closing = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(closing, 'listening')
  const { port } = closing.address() as { port: number }
  const url = `${PLAIN().replace(/:\d+\//, `:${port}/`)}?sslmode=require`
  await using(url, async (db) => {
    for (let again = 0; again < 2; again += 1)
      await expect(within(8_000, db`select 1`)).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN/) })
  })
  closing.close()
})

test('a certificate that no authority signed is refused where it is to be verified, also again', () =>
  using(TLS('verify-full')(), async (db) => {
    for (let again = 0; again < 3; again += 1)
      await expect(within(5_000, db`select 1`)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  }))

test.each([
  ['require', 'EPROTO'],
  ['prefer', [{ n: 1 }]],
])('a server without TLS: sslmode=%s', async (mode, expected) => {
  const url = `${inject('postgres_url')}?sslmode=${mode}`
  await using(url, async (db) => {
    const answer = await within(
      PATIENCE.timeout,
      db`select 1 as n`.catch(({ code }: { code?: string }) => code),
    )
    expect(answer).toEqual(expected)
  })
})
