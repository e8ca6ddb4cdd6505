import { connect, createServer, type Socket } from 'node:net'

/** One statement as the server got it. */
export interface SentStatement {
  sql: string
  /** as bytes of text; null for NULL. Empty for a statement by the simple protocol. */
  values: (string | null)[]
}

export interface SqlRecorder {
  url: string
  /** of every session in order; reset by anyone who reads */
  statements: SentStatement[]
  /** what the sessions said of themselves when they began */
  startups: Record<string, string>[]
  stop(): Promise<void>
}

const SSL_REQUEST = 80877103

/** Stands between a client and PostgreSQL on a socket of its own and reads the client's side of the protocol (version 3.0). */
export async function recordSql(target: string): Promise<SqlRecorder> {
  const url = new URL(target)
  const statements: SentStatement[] = []
  const startups: Record<string, string>[] = []
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(url.port || 5432), url.hostname)
    const read = createReader(statements, startups)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (chunk) => {
      read(chunk)
      far.write(chunk)
    })
    far.on('data', (chunk) => near.write(chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const own = new URL(target)
  own.hostname = '127.0.0.1'
  own.port = String(typeof address === 'object' && address !== null ? address.port : 0)
  return {
    url: own.href,
    statements,
    startups,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Reads one session's bytes, however they are cut. */
function createReader(statements: SentStatement[], startups: Record<string, string>[]): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0)
  let began = false
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const head = began ? 1 : 0
      if (pending.length < head + 4) return
      const length = pending.readInt32BE(head)
      if (pending.length < head + length) return
      const body = pending.subarray(head + 4, head + length)
      const type = began ? String.fromCharCode(pending[0] ?? 0) : 'startup'
      pending = pending.subarray(head + length)
      if (type === 'startup') began = readStartup(body, startups)
      else readMessage(type, body, statements)
    }
  }
}

function readStartup(body: Buffer, startups: Record<string, string>[]): boolean {
  if (body.readInt32BE(0) === SSL_REQUEST) return false
  const words = body.subarray(4).toString().split('\0')
  const settings: Record<string, string> = {}
  for (let at = 0; at + 1 < words.length && words[at] !== ''; at += 2) settings[words[at] ?? ''] = words[at + 1] ?? ''
  startups.push(settings)
  return true
}

function readMessage(type: string, body: Buffer, statements: SentStatement[]): void {
  if (type === 'Q') statements.push({ sql: texts(body, 1)[0] ?? '', values: [] })
  if (type === 'P') statements.push({ sql: texts(body, 2)[1] ?? '', values: [] })
  if (type !== 'B') return
  const statement = statements.at(-1)
  if (statement !== undefined) statement.values = boundValues(body)
}

/** The values of a Bind message: portal, statement, format codes, then each with its length. */
function boundValues(body: Buffer): (string | null)[] {
  let at = 0
  for (const text of texts(body, 2)) at += Buffer.byteLength(text) + 1
  at += 2 + 2 * body.readInt16BE(at)
  const values: (string | null)[] = []
  const count = body.readInt16BE(at)
  at += 2
  for (let index = 0; index < count; index += 1) {
    const length = body.readInt32BE(at)
    at += 4
    values.push(length < 0 ? null : body.toString('utf8', at, at + length))
    at += Math.max(0, length)
  }
  return values
}

function texts(body: Buffer, count: number): string[] {
  return body.toString('utf8').split('\0').slice(0, count)
}
