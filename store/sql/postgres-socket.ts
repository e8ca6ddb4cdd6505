import { once } from 'node:events'
import { connect, isIP, Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import postgres from 'postgres'

/** The driver's options for a server: several hosts are tried in turn. */
interface Server {
  host: string[]
  port: number[]
  path: string | false
}

/**
 * A parameter of a session that says nothing and is long. The driver gathers messages of less than a kilobyte until its next turn; a
 * connection that is lost before that turn keeps them, and gathers for ever. A long first message ends that.
 */
export const LONG_STARTUP = { 'svc.padding': 'x'.repeat(1_024) } as const

const SECURED_WITHIN_MS = 5_000
/** Asks the server whether it supports TLS; it answers `S` or `N`. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * Returns the driver's options for a database: the url as it reads it, and sockets that report a loss at once. libpq's `?host=/directory`
 * names a Unix socket, which the driver takes as an option and not from the url. With an address, that is where its host is, and a password
 * is sent only where the url has it: not the `PGPASSWORD` of this process.
 */
export function serverOf(url: string, address?: string) {
  const tcp = new URL(url)
  const { searchParams } = tcp
  const host = searchParams.get('host')
  searchParams.delete('host')
  const tls = takeTls(searchParams)
  return {
    url: tcp.toString(),
    options: {
      ...ipv6Of(url),
      ...(host?.startsWith('/') && { host }),
      ...(address !== undefined && tcp.password === '' && { password: () => '' }),
      ...(tls !== undefined && { ssl: false as const }),
      socket: createSockets(tls, address),
    },
  }
}

/** The host of a url as options where it is an IPv6 address: the driver would take a piece of it for the port. */
export function ipv6Of(url: string): { host: string; port: number } | undefined {
  const [, host, port] = /^[a-z]+:\/\/(?:[^/?#@]*@)?\[([^\]/?#@]*)\](?::(\d+))?(?:[/?#]|$)/.exec(url) ?? []
  // it takes lists, where its types know one alone
  const lists: unknown = { host: [host], port: [Number(port ?? 5_432)] }
  return host === undefined ? undefined : (lists as { host: string; port: number })
}

/** libpq's sslmode, which is hidden from the driver; the driver's own options are left to it. */
function takeTls(params: URLSearchParams): string | undefined {
  if (params.has('sslnegotiation')) return undefined
  const mode = params.get('sslrootcert') === 'system' ? 'verify-full' : (params.get('sslmode') ?? params.get('ssl'))
  if (mode === null || mode === 'disable' || mode === 'false') return undefined
  for (const name of ['ssl', 'sslmode']) params.delete(name)
  if (params.get('sslrootcert') === 'system') params.delete('sslrootcert')
  return mode
}

function createSockets(tls: string | undefined, address?: string) {
  let next = 0
  return async ({ host: hosts, port: ports, path }: Server): Promise<Socket> => {
    const at = next++ % hosts.length
    const [host, port] = [hosts[at] ?? 'localhost', ports[at] ?? 5432]
    const plain = path === false ? connect(port, address ?? host) : connect(path)
    const socket = startedClean(lostAtOnce(tls === undefined ? plain : await secured(plain, host, tls)))
    // the driver names them in its errors
    return path === false ? Object.assign(socket, { host, port }) : socket
  }
}

/**
 * Tells of its error when it closes, and not before. The driver refuses the statements of a connection at the error, and takes the
 * connection out of the pool at the close: a statement that is sent between the two is never answered, and takes the answer of another.
 * The server's last message is such an error: the driver would keep it, and refuse the first statement of the next connection by it.
 */
function lostAtOnce<Line extends Socket>(socket: Line): Line {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean
  let error: unknown
  let is_ready = false
  socket.emit = (event: string | symbol, ...args: unknown[]) => {
    if (event === 'error') {
      error ??= args[0]
      return true
    }
    if (event === 'data') {
      const chunk = args[0] as Buffer
      const end = is_ready ? lastMessage(chunk) : undefined
      is_ready ||= chunk.subarray(-READY.length - 1, -1).equals(READY)
      if (end === undefined) return emit(event, chunk)
      error ??= end.error
      return end.at === 0 || emit(event, chunk.subarray(0, end.at))
    }
    if (event === 'close' && error !== undefined) emit('error', error)
    return emit(event, ...args)
  }
  return socket
}

/** ReadyForQuery without its state: the session has begun. */
const READY = Buffer.from('Z\0\0\0\x05', 'latin1')
/** How an ErrorResponse begins that ends the session; no value of a row holds a zero byte. */
const FATAL = Buffer.from('SFATAL\0VFATAL\0', 'latin1')
/** Fields of an ErrorResponse (PostgreSQL, protocol error fields), as the driver names them. */
const FIELDS: Record<string, string> = { V: 'severity', C: 'code', M: 'message', D: 'detail', H: 'hint', R: 'routine' }

/** Where the message begins by which the server ends the session, if the chunk ends with it whole. */
function lastMessage(chunk: Buffer): { at: number; error: Error } | undefined {
  const at = chunk.lastIndexOf(FATAL) - 5
  if (at < 0 || chunk[at] !== 0x45 || at + 1 + chunk.readUInt32BE(at + 1) !== chunk.length) return undefined
  const texts = chunk.toString('utf8', at + 5).split('\0')
  const fields = texts.flatMap((text) => {
    const name = FIELDS[text.charAt(0)]
    return name === undefined ? [] : [[name, text.slice(1)]]
  })
  const { PostgresError } = postgres as unknown as { PostgresError: new (fields: object) => Error }
  return { at, error: new PostgresError(Object.fromEntries(fields)) }
}

/**
 * Leaves out what the driver has gathered for a connection that was lost before it sent it: messages before the first one of a session,
 * which alone begins with its length and not with its kind.
 */
function startedClean<Line extends Socket>(socket: Line): Line {
  const write = socket.write.bind(socket) as (data: Buffer, ...rest: unknown[]) => boolean
  socket.write = ((data: Buffer, ...rest: unknown[]) => {
    socket.write = write as typeof socket.write
    let at = 0
    while (data.length > at + 5 && data[at] !== 0) at += 1 + data.readUInt32BE(at + 1)
    return write(data.subarray(at), ...rest)
  }) as typeof socket.write
  return socket
}

/** The driver's own TLS makes a hidden socket, and has no way to report a refusal: when this fails, the socket fails. */
async function secured(plain: Socket, host: string, mode: string): Promise<Socket> {
  const given = new AbortController()
  const give = (code: string, message: string) => given.abort(coded(code, message))
  const timer = setTimeout(give, SECURED_WITHIN_MS, 'CONNECT_TIMEOUT', 'no answer')
  // a proxy without a server behind it closes at once, without an error
  plain.once('close', () => give('ECONNRESET', 'the connection was closed before it was secured'))
  const { signal } = given
  try {
    await once(plain, 'connect', { signal })
    plain.write(SSL_REQUEST)
    const [answer] = (await once(plain, 'data', { signal })) as [Buffer]
    const isOptional = mode === 'prefer' || mode === 'allow'
    if (answer.toString('latin1') !== 'S') {
      if (isOptional) return plain
      throw coded('EPROTO', 'the database server does not speak TLS')
    }
    const line = secure({
      socket: plain,
      rejectUnauthorized: !isOptional && mode !== 'require',
      ...(isIP(host) === 0 && { servername: host }),
    })
    await once(line, 'secureConnect', { signal })
    return line
  } catch (error) {
    plain.destroy()
    const failed = new Socket()
    const why = signal.aborted ? signal.reason : error
    // told of when the driver listens, which is before the next tick
    return failed.destroy(why as Error)
  } finally {
    clearTimeout(timer)
  }
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
