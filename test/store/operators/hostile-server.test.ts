import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { postgresQuery } from '#activities/operators/postgres/query.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const PASSWORD = 'a-password-that-nobody-else-has'

/** A server, or a proxy before one, that asks for the password in clear, and repeats it as it refuses. */
let server: Server
let port: number
let received: string[]

beforeAll(async () => {
  server = createServer((socket) => {
    let is_asked = false
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      if (!is_asked) {
        is_asked = true
        socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
        return
      }
      // the client also says goodbye
      if (chunk[0] !== 0x70) return
      const password = chunk.toString('utf8', 5, chunk.length - 1)
      received.push(password)
      const fields = Buffer.from(`SFATAL\0VFATAL\0C28P01\0Mno user has the password ${password} here\0\0`)
      const length = Buffer.alloc(4)
      length.writeInt32BE(fields.length + 4)
      socket.end(Buffer.concat([Buffer.from('E'), length, fields]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  await postgresQuery.ready?.()
})
beforeEach(() => {
  received = []
})
afterAll(() => void server.close())

const read = async (url: string) => {
  const ctx = operatorContext({ connection: async () => ({ kind: 'postgres', url, address: '127.0.0.1' }) })
  const parsed = postgresQuery.parse({ connection: 'main', sql: 'select 1' })
  return await postgresQuery.execute(ctx, parsed).catch((error: unknown) => error as Error)
}

test('a password that a server repeats is in no failure', async () => {
  const failed = await read(`postgres://ops:${PASSWORD}@localhost:${port}/shop?sslmode=disable`)
  expect(received).toEqual([PASSWORD])
  expect(failed).toMatchObject({ code: 'login_refused', message: expect.not.stringContaining(PASSWORD) })
  expect(failed).toMatchObject({ message: expect.stringContaining('no user has the password') })
})

test('a connection of the console without a password sends none of this process', async () => {
  const before = process.env['PGPASSWORD']
  process.env['PGPASSWORD'] = PASSWORD
  try {
    await read(`postgres://ops@localhost:${port}/shop?sslmode=disable`)
  } finally {
    if (before === undefined) delete process.env['PGPASSWORD']
    else process.env['PGPASSWORD'] = before
  }
  expect(received).toEqual([''])
})
