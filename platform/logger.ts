import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Fields that never reach a log, wherever a record carries them (up to one level deep). */
const REDACTED = [
  'password',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'authorization',
  'cookie',
  'set-cookie',
  'database_url',
  'databaseUrl',
]

export interface LoggerOptions {
  level: string
  name: string
  /** where lines go; standard output when not given */
  destination?: DestinationStream
}

/** A JSON-lines logger. Object first: `log.info({ run_id }, 'run started')`. */
export function createLogger({ level, name, destination }: LoggerOptions): Logger {
  const options = {
    level,
    name,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: REDACTED.flatMap((field) => [`["${field}"]`, `*["${field}"]`]),
      censor: '(hidden)',
    },
  }
  return destination ? pino(options, destination) : pino(options)
}
