import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * What happens to one statement. An SQLSTATE: the server refuses it. `cut`: the connection ends before the server has it. `unknown`: the
 * server has it, and the connection ends before its answer arrives. `away`: like `cut`, and no connection comes about any more.
 */
export type Fault = { sqlstate: string } | 'cut' | 'unknown' | 'away'

/** A line to PostgreSQL that fails at one statement. */
export interface FaultyLine {
  /** of the database behind it, through the line */
  url(url: string): string
  /** the statement of this number from now on, the first is 0, or the first one that matches */
  arm(at: number | RegExp, fault: Fault): void
  /** what was sent since it was armed, and whether the fault has come about */
  disarm(): { statements: string[]; failed: boolean }
  stop(): Promise<void>
}

interface State {
  at: number | RegExp
  fault: Fault | undefined
  statements: string[]
  failed: boolean
  whole: boolean
}

/** Lays a line to the server of this url. */
export async function layFaultyLine(target: string): Promise<FaultyLine> {
  const { hostname, port } = new URL(target)
  const state: State = { at: -1, fault: undefined, statements: [], failed: false, whole: true }
  const ends = new Set<Socket>()
  const server = createServer((near) => {
    if (!state.whole) return void near.resetAndDestroy()
    const far = connect(Number(port === '' ? 5432 : port), hostname)
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      end.setNoDelay(true)
      end.on('error', () => undefined)
      end.once('close', () => {
        ends.delete(end)
        other.destroy()
      })
    }
    passOn(near, far, state)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return {
    url(url) {
      const through = new URL(url)
      through.hostname = '127.0.0.1'
      through.port = String(bound.port)
      through.searchParams.delete('host')
      return through.href
    },
    arm(at, fault) {
      Object.assign(state, { at, fault, statements: [], failed: false })
    },
    disarm() {
      Object.assign(state, { fault: undefined, whole: true })
      return { statements: state.statements, failed: state.failed }
    },
    async stop() {
      for (const end of ends) end.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What the server does not know: it refuses the statement, and its transaction with it. */
const UNKNOWN = 'svc_no_such_statement'

function passOn(near: Socket, far: Socket, state: State): void {
  /** what the next refusal is made to say */
  let saying: string | undefined
  /** what is left of a transaction whose commit was refused: it ends as well, and nobody rolls it back */
  let open: 'until answered' | 'until rolled back' | undefined
  let deaf = false
  const names = new Map<string, string>()

  function strike(fault: Fault, kind: string, statement: string, message: Buffer): Buffer | undefined {
    if (fault === 'cut' || fault === 'away') {
      if (fault === 'away') state.whole = false
      near.resetAndDestroy()
      far.destroy()
      return undefined
    }
    if (fault === 'unknown') {
      deaf = true
      return message
    }
    saying = fault.sqlstate
    if (/^commit\b/i.test(statement)) open = 'until answered'
    if (kind === 'B') return framed('B', Buffer.concat([text(''), text(UNKNOWN), Buffer.alloc(6)]))
    return framed('Q', text(`select ${UNKNOWN}()`))
  }

  function sent(kind: string, body: Buffer, message: Buffer): Buffer | undefined {
    if (kind === 'P') names.set(...namedStatement(body))
    if (kind !== 'Q' && kind !== 'B') return message
    const statement =
      kind === 'Q' ? firstText(body) : (names.get(firstText(body.subarray(firstText(body).length + 1))) ?? '')
    state.statements.push(statement.replaceAll(/\s+/g, ' ').trim())
    const { fault, at, statements } = state
    const isMeant = typeof at === 'number' ? statements.length - 1 === at : at.test(statement)
    if (fault === undefined || state.failed || !isMeant) return message
    state.failed = true
    return strike(fault, kind, statement, message)
  }

  function answered(kind: string, body: Buffer, message: Buffer): Buffer | undefined {
    if (deaf) {
      if (kind === 'Z') near.resetAndDestroy()
      return undefined
    }
    if (open === 'until rolled back') {
      if (kind !== 'Z') return undefined
      open = undefined
    } else if (open === 'until answered' && kind === 'Z') {
      open = 'until rolled back'
      far.write(framed('Q', text('rollback')))
      return undefined
    }
    if (kind !== 'E' || saying === undefined) return message
    const frame = framed('E', refusal(body, saying))
    const ends = saying.startsWith('57P')
    saying = undefined
    if (!ends) return frame
    near.write(frame, () => near.destroy())
    return undefined
  }

  eachMessage(near, true, sent, (message) => far.write(message))
  eachMessage(far, false, answered, (message) => near.write(message))
}

/** Hands on what is left of each message; the first of a client has no kind. */
function eachMessage(
  from: Socket,
  startsBare: boolean,
  look: (kind: string, body: Buffer, message: Buffer) => Buffer | undefined,
  handOn: (message: Buffer) => void,
): void {
  let pending = Buffer.alloc(0)
  let bare = startsBare
  from.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const head = bare ? 0 : 1
      if (pending.length < head + 4) return
      const end = head + pending.readUInt32BE(head)
      if (pending.length < end) return
      const message = pending.subarray(0, end)
      pending = pending.subarray(end)
      const left = bare ? message : look(String.fromCharCode(message[0] ?? 0), message.subarray(5), message)
      bare = false
      if (left !== undefined && from.readyState !== 'closed') handOn(left)
    }
  })
}

function framed(kind: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(kind, 0, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

function firstText(body: Buffer): string {
  return body.toString('utf8', 0, body.indexOf(0))
}

/** The name of what is parsed, and its text. */
function namedStatement(body: Buffer): [string, string] {
  const name = firstText(body)
  return [name, firstText(body.subarray(Buffer.byteLength(name) + 1))]
}

/** The refusal with another SQLSTATE. */
function refusal(body: Buffer, sqlstate: string): Buffer {
  const fields = body
    .toString('utf8')
    .split('\0')
    // by the place of the refusal the driver tells what it repeats by itself
    .filter((field) => !field.startsWith('R'))
    .map((field) => {
      if (field.startsWith('C')) return `C${sqlstate}`
      if (field.startsWith('M')) return 'Minjected'
      return sqlstate.startsWith('57P') && /^[SV]/.test(field) ? `${field[0]}FATAL` : field
    })
  return Buffer.from(fields.join('\0'))
}
