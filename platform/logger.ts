import { type Bindings, type ChildLoggerOptions, type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Names that never reach a log with their values, however they are written (`set-cookie`, `setCookie`, `SET_COOKIE`). */
const REDACTED = new Set(
  [
    'password',
    'passwd',
    'passphrase',
    'secret',
    'client_secret',
    'secret_key',
    'private_key',
    'token',
    'access_token',
    'refresh_token',
    'id_token',
    'bearer',
    'api_key',
    'x-api-key',
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'credential',
    'credentials',
    'database_url',
  ].map(plain),
)
const CENSOR = '(hidden)'
/** Deeper values are not inspected, so they are not written. */
const MAX_DEPTH = 8

export interface LoggerOptions {
  level: string
  name: string
  /** destination of lines; default standard output */
  destination?: DestinationStream
}

/** A JSON-lines logger. Object first: `log.info({ run_id }, 'run started')`. */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const options = {
    level,
    name,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    // our own recursion: pino's `redact` needs a path for every depth, and is a hundred times as slow
    formatters: { log: redacted },
    // errors are written by then
    serializers: { err: (error: unknown) => error },
  }
  // lines of one turn are written together without waiting; the rest is written when the process exits
  const log: Logger = pino(options, destination ?? pino.destination({ dest: 1, sync: false }))
  const { child } = log
  // bindings of a child bypass formatters; children inherit from their parent
  return Object.assign(log, {
    child(this: Logger, bindings: Bindings, childOptions?: ChildLoggerOptions): Logger {
      return Reflect.apply(child, this, [redacted(bindings), childOptions])
    },
  })
}

function redacted(fields: Record<string, unknown>): Record<string, unknown> {
  return membersOf(fields, 0)
}

function membersOf(fields: object, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = value !== undefined && value !== null && isSecret(name) ? CENSOR : redactAt(value, depth + 1)
  }
  return shown
}

function redactAt(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return '(too deep)'
  if (value instanceof Error) {
    // of an error of the database it is the row that did not fit, with all its values
    const { detail: _row, ...shown } = pino.stdSerializers.err(value)
    return membersOf(shown, depth)
  }
  if (Array.isArray(value)) return value.map((item) => redactAt(item, depth + 1))
  if (value instanceof Headers || value instanceof Map) return membersOf(Object.fromEntries(value), depth)
  // a value with its own `toJSON` (a date, a url) is written as it is
  return 'toJSON' in value ? value : membersOf(value, depth)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, '')
}

/** Nearly every line has the names of the one before. */
const judged = new Map<string, boolean>()
const MAX_JUDGED = 1_000

function isSecret(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const secret = REDACTED.has(plain(name))
  if (judged.size < MAX_JUDGED) judged.set(name, secret)
  return secret
}
