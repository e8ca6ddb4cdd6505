import postgres from 'postgres'
import { DomainError } from '#core/errors.ts'
import { isoOfDatabase } from '#core/time/time.ts'
import { addArrayTypes } from './sql/array-types.ts'
import { LONG_STARTUP, serverOf } from './sql/postgres-socket.ts'

/** A pool in which rows are domain records already: times are ISO strings, bigints are safe integers. */
type Types = { bigint: number; timestamptz: string; date: string }

export type Db = postgres.Sql<Types>
/** The common type of a database and its transactions. */
export type Statements = postgres.ISql<Types>

export interface DbOptions {
  max?: number
  name?: string
  /** visible rows: `*`, the default, is every workspace; `none` needs `svc.workspace` to be set */
  workspace?: '*' | 'none'
  /** sessions begin as readers that take no longer than this for a statement; for a role that may not do more either */
  reads_within_ms?: number
  /** sessions can be reserved: the driver provides a new one after a query of its own, or never */
  reservable?: boolean
  onNotice?: (text: string) => void
  /** connections stay open until the pool is ended, however long they are idle */
  kept?: boolean
  /** called when a connection has ended, from either side */
  onClose?: () => void
}

/**
 * Detects that the peer's host is gone: within some 15 seconds, where the systems' own defaults are hours. A process that hangs in a
 * transaction loses it, and with it its row locks.
 */
export const VANISHED_PEER = {
  keep_alive_s: 5,
  session: {
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 5,
    tcp_user_timeout: 15_000,
    idle_in_transaction_session_timeout: 30_000,
  },
} as const

/** A connection that is idle for this long is closed. */
export const IDLE_S = 60

/** Opens a pool of `max` connections. Nothing is connected before the first query. */
export function createDb(url: string, options: DbOptions = {}): Db {
  const server = serverOf(url)
  const db = postgres(server.url, {
    ...server.options,
    max: options.max ?? 10,
    idle_timeout: IDLE_S,
    ...(options.kept && { idle_timeout: 0, max_lifetime: null }),
    // as long as a vanished peer: in a storm the answer is there before this process has its turn to read it
    connect_timeout: 15,
    keep_alive: VANISHED_PEER.keep_alive_s,
    backoff: reconnectDelay,
    fetch_types: options.reservable ?? false,
    // short statements only: compiling them to machine code never pays
    connection: {
      application_name: options.name ?? 'svc',
      jit: false,
      ...LONG_STARTUP,
      ...VANISHED_PEER.session,
      ...(options.workspace === 'none' ? {} : { 'svc.workspace': '*' }),
      ...(options.reads_within_ms !== undefined && {
        default_transaction_read_only: true,
        statement_timeout: options.reads_within_ms,
      }),
    },
    onnotice: (notice) => options.onNotice?.(String(notice['message'])),
    onclose: () => options.onClose?.(),
    types: {
      bigint: { to: 20, from: [20], parse: safeInteger, serialize: (value: number) => String(value) },
      timestamptz: {
        to: 1184,
        from: [1184],
        parse: isoOfDatabase,
        serialize: (value: string) => value,
      },
      date: { to: 1082, from: [1082], parse: (text: string) => text, serialize: (value: string) => value },
    },
  })
  addArrayTypes(db.options)
  return leaveLostTransactions(db)
}

/** The driver refuses a transaction within this time of the end of its connection. */
const REFUSED_WITHIN_MS = 1_000

/**
 * The driver rolls a transaction back when its work fails. On a connection that is lost there is nothing to roll back: the statement
 * would take the connection out of the pool for good. The transaction itself is refused by the end of its connection; where it is not,
 * another connection was lost, and this one is rolled back. After its refusal nothing of it is sent any more: the driver would send it
 * in the next transaction that has the connection.
 */
function leaveLostTransactions(db: Db): Db {
  const begin = db.begin.bind(db) as (options: string, work: (tx: object) => unknown) => Promise<unknown>
  const leaving = (...given: [(tx: unknown) => unknown] | [string, (tx: unknown) => unknown]) => {
    const [options, work] = given.length === 1 ? ['', given[0]] : given
    let refusal: Error | undefined
    const never = () => new Promise<never>(() => undefined)
    const transaction = begin(options, async (tx) => {
      try {
        const under = work(refusedAfter(tx, () => refusal))
        const result = await (Array.isArray(under) ? Promise.all(under) : under)
        return refusal === undefined ? result : await never()
      } catch (error) {
        if (isLost(error)) await new Promise((resolve) => setTimeout(resolve, REFUSED_WITHIN_MS))
        if (refusal !== undefined) return await never()
        throw error
      }
    })
    return transaction.catch((error: Error) => {
      refusal = error
      throw error
    })
  }
  return Object.assign(db, { begin: leaving })
}

/** The statements of a transaction, until it is refused. */
function refusedAfter(tx: object, refusal: () => Error | undefined): object {
  const unlessRefused = <Value>(value: Value): Value => {
    const refused = refusal()
    if (refused !== undefined) throw refused
    return value
  }
  return new Proxy(tx, {
    apply: (statement, self, values) => Reflect.apply(unlessRefused(statement as () => unknown), self, values),
    get: (statements, name) => unlessRefused(Reflect.get(statements, name)),
  })
}

/** Tells whether a statement failed with its connection. */
export function isLost(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.severity === 'FATAL'
  return error instanceof Error && 'code' in error && LOST.has(String(error.code))
}

/** The server ends the connection with fatal codes; the others come from the driver and the socket. */
const LOST: ReadonlySet<string> = new Set(['CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE'])

/**
 * Seconds until a lost connection is tried again. The driver counts the failures of a whole pool together and would by its
 * own rule wait up to 20 seconds after an outage of one.
 */
export function reconnectDelay(failures: number): number {
  // biome-ignore lint/nursery/noJsRestrictedProperties: it spreads new connections, and decides nothing
  return Math.min(0.02 * 2 ** failures, 1) * (0.5 + Math.random() / 2)
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new DomainError('internal', `bigint out of the safe range: ${text}`)
  return value
}

/** A record as a parameter of type `jsonb`: the driver's type of JSON values does not take interfaces, nor `unknown` members. */
export function asJson(value: object): Parameters<Db['json']>[0] {
  return value as Parameters<Db['json']>[0]
}

/** Codes of the operating system, of the driver, and PostgreSQL's classes 08 (connection) and 28 (authorization). */
const CONNECTION = /^(E[A-Z]+|CONN\w+|CONNECT\w+|08\w{3}|28\w{3}|3D000)$/

/** The code by which a database is not to be used at all; undefined for every other failure. */
export function whyUnreachable(error: unknown): string | undefined {
  // a host of several addresses fails with one error for each
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error]
  const codes = causes.map((cause) => (cause instanceof Error && 'code' in cause ? String(cause.code) : ''))
  return codes.find((code) => CONNECTION.test(code))
}
