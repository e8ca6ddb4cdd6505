import postgres from 'postgres'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'

interface Circumstances {
  signal: AbortSignal
  /** the statement may have taken effect although no answer came */
  may_have_acted: boolean
}

/** The server ended the session or the connection failed: it says nothing about the statement. */
const SESSION_ENDED = /^(08|57P0)/

/** Refusals that a later attempt may not meet: no room, a lost race. */
const TRANSIENT = /^(53|40001|40P01|55P03|55006)/

const CODES: Record<string, FailureCode> = {
  '25006': 'read_only',
  '55P03': 'lock_timeout',
  '57014': 'timeout',
  '40001': 'conflict',
  '40P01': 'conflict',
}

/** Translates what the driver throws: refused by the server, stopped by the signal, or the connection was lost. */
export function postgresFailure(error: unknown, at: Circumstances): unknown {
  if (error instanceof OperatorError) return error
  if (error instanceof DomainError) return new OperatorError(error.code, error.message, { cause: error })
  if (!(error instanceof Error)) return error
  const sqlstate = error instanceof postgres.PostgresError ? error.code : undefined
  if (at.signal.aborted) return stopped(error, at, sqlstate)
  if (error instanceof postgres.PostgresError && !SESSION_ENDED.test(error.code)) return refused(error)
  if (!('code' in error)) return error
  const code = at.may_have_acted ? 'connection_lost' : 'unreachable'
  return new OperatorError(code, `the database connection failed: ${String(error.code)}`, {
    retryable: !at.may_have_acted,
    unknown_outcome: at.may_have_acted,
    cause: error,
  })
}

function refused(error: postgres.PostgresError): OperatorError {
  const details: JsonObject = { sqlstate: error.code }
  for (const field of ['detail', 'hint', 'position', 'constraint_name', 'table_name'] as const) {
    const value = error[field]
    if (value !== undefined) details[field] = value
  }
  const hint = error.code === '25006' ? '; postgres.query only reads, postgres.execute writes' : ''
  return new OperatorError(CODES[error.code] ?? 'sql_failed', `${error.message}${hint}`, {
    retryable: TRANSIENT.test(error.code),
    details,
    cause: error,
  })
}

/** The server's own word that it cancelled settles the outcome; silence does not. */
function stopped(error: Error, at: Circumstances, sqlstate: string | undefined): OperatorError {
  const { reason } = at.signal
  const timedOut = reason instanceof DOMException && reason.name === 'TimeoutError'
  const unknown = at.may_have_acted && sqlstate !== '57014'
  return new OperatorError(timedOut ? 'timeout' : 'aborted', 'the statement was stopped', {
    retryable: !unknown,
    unknown_outcome: unknown,
    cause: error,
  })
}
