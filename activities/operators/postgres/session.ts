import postgres from 'postgres'
import type { Json } from '#core/json/json.ts'
import { parseForeignJson, UNLIMITED } from '#core/json/parse-json.ts'
import { type Connection, type OperatorContext, OperatorError } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import { addArrayTypes } from '#store/sql/array-types.ts'
import { serverOf } from '#store/sql/postgres-socket.ts'
import { connectFailure } from './connect-failure.ts'
import { connectionTarget } from './connection-target.ts'

type SqlTypes = {
  text: string
  float: number | string
  date: string
  timestamp: string
  timestamptz: string
  bytea: string
  json: unknown
}

export type SessionQuery = postgres.ISql<SqlTypes>
export type RunningStatement = postgres.PendingQuery<postgres.Row[]>

/** A connection of its own for one execution. */
export interface Session {
  /** Throws once the connection is lost: nothing may run on a new one, outside of its transaction and its limits. */
  sql(): SessionQuery
  /** what the server has warned of, such as a table that VACUUM has left out */
  warnings: readonly string[]
  /** Asks the server to stop what runs, and cuts the connection when it does not react. */
  cancel(): void
}

const CANCEL_GRACE_MS = 2_000
const CONNECT_TIMEOUT_S = 5
const SERVER_TYPED = 0
const MAX_WARNINGS = 20
const WARNING_CHARS = 500

/** Values as JSON keeps them: exact numbers and times as text, times in ISO 8601. */
const TYPES = {
  text: { to: 25, from: [25], serialize: toText, parse: String },
  float: { to: 701, from: [700, 701], serialize: String, parse: readFloat },
  date: { to: 1082, from: [1082], serialize: String, parse: String },
  timestamp: { to: 1114, from: [1114], serialize: String, parse: isoText },
  timestamptz: { to: 1184, from: [1184], serialize: String, parse: isoText },
  bytea: { to: 17, from: [17], serialize: String, parse: String },
  json: { to: 114, from: [114, 3802], serialize: toJsonText, parse: readJson },
}

/** Settings that make results independent of the server's and the role's own, and have it read strings as people were shown them. */
const SETTINGS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'iso_8601',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
}

/** Opens one connection, runs `work`, closes it; a transaction that was not committed is rolled back by that. */
export async function withSession<T>(
  ctx: Pick<OperatorContext, 'run_id' | 'signal' | 'connection'>,
  connectionId: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  ctx.signal.throwIfAborted()
  const { kind, url, address } = await ctx.connection(connectionId)
  const to = { url, address }
  postgresOnly({ connection: connectionId }, { kind, url })
  let lost = false
  const warnings: string[] = []
  const name = `svc ${ctx.run_id}`
  const pool = connect(to, name, {
    onclose: () => {
      lost = true
    },
    onnotice: ({ severity, message }) => {
      if (severity === 'WARNING' && warnings.length < MAX_WARNINGS)
        warnings.push(cutText(String(message), WARNING_CHARS))
    },
  })
  let cut: NodeJS.Timeout | undefined
  try {
    const [backend] = await pool<{ pid: number; arrays: [array: number, element: number][] }[]>`
      select pg_catalog.pg_backend_pid() as pid, pg_catalog.set_config('application_name', ${name}, false), (select pg_catalog.json_agg(pg_catalog.json_build_array(typarray::pg_catalog.int8, oid::pg_catalog.int8))
        from pg_catalog.pg_type where typarray operator(pg_catalog.<>) 0 and typdelim operator(pg_catalog.=) ',') as arrays`.catch(
      (error: unknown) => {
        throw connectFailure(error, { kind, url })
      },
    )
    addArrayTypes(pool.options, backend?.arrays)
    const reserved = await pool.reserve()
    try {
      const session: Session = {
        sql() {
          if (lost) throw Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
          return reserved
        },
        warnings,
        cancel() {
          cut ??= setTimeout(() => pool.end({ timeout: 0 }), CANCEL_GRACE_MS)
          if (backend !== undefined) void cancelBackend(to, backend.pid)
        },
      }
      return await work(session)
    } finally {
      reserved.release()
    }
  } finally {
    clearTimeout(cut)
    await pool.end({ timeout: 1 })
  }
}

/** The input as it is, where its connection is one to PostgreSQL. */
export function postgresOnly<Input extends { connection: string }>(input: Input, { kind, url }: Connection): Input {
  if (/^postgres(ql)?:\/\//.test(url)) return input
  throw new OperatorError('connection_kind', `connection ${input.connection} (${kind}) is not a Postgres url`)
}

type Listeners = Pick<postgres.Options<Record<string, never>>, 'onclose' | 'onnotice'>

type To = Pick<Connection, 'url'> & { address: string | undefined }

function connect({ url, address }: To, name: string, listeners: Listeners): postgres.Sql<SqlTypes> {
  const server = serverOf(url, address)
  return postgres(server.url, {
    ...server.options,
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_S,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: name.slice(0, 63) },
    onnotice: () => undefined,
    ...listeners,
    types: TYPES,
  })
}

/** By a second connection of the same role; a server that cannot be reached leaves it to the cut. */
async function cancelBackend(to: To, pid: number): Promise<void> {
  const sql = connect(to, 'svc cancel', {})
  await sql`select pg_catalog.pg_cancel_backend(${pid}::pg_catalog.int4)`.catch(() => undefined)
  await sql.end({ timeout: 1 })
}

/** Sets what bounds the session's statements, for the transaction (`local`) or the session; durations in milliseconds. */
export async function applySettings(
  sql: SessionQuery,
  settings: Record<string, string>,
  local: boolean,
): Promise<void> {
  const wanted = Object.entries({ ...SETTINGS, ...settings })
  const names = wanted.map(([name]) => name)
  const values = wanted.map(([, value]) => value)
  await sql`select pg_catalog.set_config(name, value, ${local})
    from unnest(${names}::pg_catalog.text[], ${values}::pg_catalog.text[]) as s (name, value)`
}

/** One statement by the extended protocol: the server refuses a second one in the same text and types the parameters. */
export function statement(sql: SessionQuery, text: string, params: Json[]): RunningStatement {
  const values = params.map((value) => (value === null ? null : sql.typed(value, SERVER_TYPED)))
  const options: postgres.UnsafeQueryOptions & { simple: boolean } = { prepare: false, simple: false }
  return sql.unsafe(text, values, options)
}

/** Ties running work to the signal. */
export async function cancellable<T>(session: Session, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const onAbort = () => session.cancel()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await work
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function toJsonText(value: unknown): string {
  return JSON.stringify(value)
}

/** How much there is of it is limited with the rows. */
function readJson(text: string): unknown {
  return parseForeignJson(text, UNLIMITED)
}

function readFloat(text: string): number | string {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

function isoText(text: string): string {
  return text.replace(' ', 'T').replace(/\+00$/, 'Z')
}

/** Signs in as a step would, and changes nothing. Throws what a step would fail with: OperatorError, or DomainError for its url. */
export async function signInToPostgres(connection: Connection, signal: AbortSignal): Promise<void> {
  connectionTarget(connection)
  const ctx = { run_id: 'check', signal, connection: async () => connection }
  await withSession(ctx, 'check', async (session) => void (await session.sql()`select 1`))
}
