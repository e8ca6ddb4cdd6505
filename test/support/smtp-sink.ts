import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  /** who logged in */
  user: string | undefined
  /** as it crossed the wire */
  raw: string
  /** names in lower case, folded lines joined */
  headers: Record<string, string[]>
  /** decoded parts of a multipart/alternative by media type */
  parts: Record<string, string>
}

export interface SmtpSinkOptions {
  /** the only login that is accepted; absent: anybody may send */
  login?: { user: string; pass: string }
  /** certificate and key, and whether it speaks TLS from the first byte; absent: no TLS */
  tls?: { cert: string; key: string; implicit?: boolean }
}

/** A mail server on a port of its own that keeps what it gets, or refuses with the code it is told. */
export async function startSmtpSink({ login, tls }: SmtpSinkOptions = {}) {
  const received: ReceivedMail[] = []
  const connected: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  let refusal: { at: 'rcpt' | 'data'; code: number; address?: string } | { at: 'end' } | undefined
  const server = new SMTPServer({
    authOptional: login === undefined,
    ...(tls === undefined
      ? { disabledCommands: ['STARTTLS'] }
      : { cert: tls.cert, key: tls.key, secure: tls.implicit === true }),
    allowInsecureAuth: true,
    logger: false,
    onConnect(_session, done) {
      connected.push(undefined)
      done()
    },
    onAuth(auth, _session, done) {
      connected[connected.length - 1] = auth.password ?? undefined
      const accepted = auth.username === login?.user && auth.password === login?.pass
      if (accepted) done(null, { user: auth.username })
      else done(Object.assign(new Error('Invalid login'), { responseCode: 535 }))
    },
    onRcptTo({ address }, _session, done) {
      if (refusal?.at === 'rcpt' && address === (refusal.address ?? address)) done(refused(refusal.code))
      else done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusal?.at === 'data') return done(refused(refusal.code))
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: typeof session.user === 'string' ? session.user : undefined,
          ...parseMail(Buffer.concat(chunks).toString('utf8')),
        })
        if (refusal?.at === 'end') for (const socket of sockets) socket.destroy()
        else done()
      })
    },
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    /** the password that was received on each connection, if any */
    connected,
    /** mails are refused from now on, or taken without an answer (`end`); undefined: accepted again */
    refuse(next: typeof refusal): void {
      refusal = next
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

function refused(responseCode: number): Error {
  return Object.assign(new Error('not today'), { responseCode })
}

function parseMail(raw: string): Pick<ReceivedMail, 'raw' | 'headers' | 'parts'> {
  const { headers, body } = split(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type']?.[0] ?? '')?.[1]
  const parts: Record<string, string> = {}
  for (const section of boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1)) {
    const part = split(section.replace(/^\r\n/, ''))
    const type = part.headers['content-type']?.[0]?.split(';')[0] ?? 'unknown'
    parts[type] = decode(part.headers['content-transfer-encoding']?.[0] ?? '7bit', part.body)
  }
  return { raw, headers, parts }
}

function split(text: string): { headers: Record<string, string[]>; body: string } {
  const end = text.indexOf('\r\n\r\n')
  const headers: Record<string, string[]> = {}
  for (const line of text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    headers[name] = [...(headers[name] ?? []), decodeWords(line.slice(colon + 1).trim())]
  }
  return { headers, body: text.slice(end + 4) }
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_word, encoding: string, encoded: string) =>
      encoding.toLowerCase() === 'b'
        ? Buffer.from(encoded, 'base64').toString('utf8')
        : quotedPrintable(encoded.replaceAll('_', ' ')),
    )
}

function decode(encoding: string, body: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? quotedPrintable(body.replace(/=\r\n/g, '')) : body
}

function quotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
