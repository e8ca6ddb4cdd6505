import postgres from 'postgres'
import type { Json } from '#core/json.ts'
import { type OperatorContext, OperatorError } from '#core/operator.ts'

type SqlTypes = {
  text: string
  float: number | string
  date: string
  timestamp: string
  timestamptz: string
  bytea: string
}

/** A connection of its own for one execution. */
export type Session = postgres.Sql<SqlTypes>
export type SessionQuery = postgres.ISql<SqlTypes>
export type RunningStatement = postgres.PendingQuery<postgres.Row[]>

const CANCEL_GRACE_MS = 2_000
const SERVER_TYPED = 0

/** Values as JSON keeps them: exact numbers and times as text, times in ISO 8601. */
const TYPES = {
  text: { to: 25, from: [25], serialize: toText, parse: String },
  float: { to: 701, from: [700, 701], serialize: String, parse: readFloat },
  date: { to: 1082, from: [1082], serialize: String, parse: String },
  timestamp: { to: 1114, from: [1114], serialize: String, parse: isoText },
  timestamptz: { to: 1184, from: [1184], serialize: String, parse: isoText },
  bytea: { to: 17, from: [17], serialize: String, parse: String },
}

/** Settings that make results independent of the server's and the role's own. */
const SETTINGS = { TimeZone: 'UTC', DateStyle: 'ISO, YMD', IntervalStyle: 'iso_8601', bytea_output: 'hex' }

/** Opens one connection, runs `work`, closes it; a raised signal cancels what runs on the server. */
export async function withSession<T>(
  ctx: OperatorContext,
  connectionId: string,
  work: (sql: Session) => Promise<T>,
): Promise<T> {
  ctx.signal.throwIfAborted()
  const connection = await ctx.connection(connectionId)
  if (!/^postgres(ql)?:\/\//.test(connection.url)) {
    throw new OperatorError('connection_kind', `connection ${connectionId} (${connection.kind}) is not a Postgres url`)
  }
  const sql: Session = postgres(connection.url, {
    max: 1,
    connect_timeout: 10,
    max_lifetime: null,
    connection: { application_name: `svc ${ctx.run_id}`.slice(0, 63) },
    onnotice: () => undefined,
    types: TYPES,
  })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
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
  await sql`select set_config(name, value, ${local}) from unnest(${names}::text[], ${values}::text[]) as s (name, value)`
}

/** One statement by the extended protocol: the server refuses a second one in the same text and types the parameters. */
export function statement(sql: SessionQuery, text: string, params: Json[]): RunningStatement {
  const values = params.map((value) => (value === null ? null : sql.typed(value, SERVER_TYPED)))
  const options: postgres.UnsafeQueryOptions & { simple: boolean } = { prepare: false, simple: false }
  return sql.unsafe(text, values, options)
}

/** Ties a running statement to the signal: cancelled on the server, and cut off when the server does not react. */
export async function cancellable<T>(
  sql: Session,
  signal: AbortSignal,
  query: RunningStatement,
  work: Promise<T>,
): Promise<T> {
  let cut: NodeJS.Timeout | undefined
  const onAbort = () => {
    query.cancel()
    cut = setTimeout(() => sql.end({ timeout: 0 }), CANCEL_GRACE_MS)
  }
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await work
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(cut)
  }
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function readFloat(text: string): number | string {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

function isoText(text: string): string {
  return text.replace(' ', 'T').replace(/\+00$/, 'Z')
}
