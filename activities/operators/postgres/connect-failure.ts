import postgres from 'postgres'
import { postgresPassword } from '#core/connection/kinds/postgres-schema.ts'
import { type Connection, OperatorError } from '#core/operator.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { connectionTarget } from './connection-target.ts'

/** What keeps a connection from coming about, by the code of the system or the driver. What is not permanent may pass by itself. */
const BROKEN: Record<string, { says: (host: string) => string; permanent?: true }> = {
  ECONNREFUSED: { says: (host) => `nothing listens at ${host}` },
  ENOENT: { says: (host) => `there is no socket at ${host}` },
  ENOTFOUND: { says: (host) => `the name of the host ${host} is unknown`, permanent: true },
  EAI_AGAIN: { says: (host) => `the name of the host ${host} cannot be looked up now` },
  CONNECT_TIMEOUT: { says: (host) => `${host} does not answer` },
  ETIMEDOUT: { says: (host) => `${host} does not answer` },
  EHOSTUNREACH: { says: (host) => `there is no way to ${host}` },
  ENETUNREACH: { says: (host) => `there is no way to ${host}` },
}

/** Node's and OpenSSL's words for a certificate that is not accepted, and for a server that does not speak TLS. */
const CERTIFICATE = /CERT|SIGNATURE|ALTNAME/
const NO_TLS = /^EPROTO |^ERR_SSL_|before secure TLS connection was established$/

/** The server is busy, starting or stopping: it says nothing about who asks. */
const PASSING = /^(53|57P0|08)/

/** Says in plain words why a connection did not come about, and whether another attempt may. Nothing was sent by then. */
export function connectFailure(error: unknown, connection: Connection): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const { host, database, user } = connectionTarget(connection)
  if (error instanceof postgres.PostgresError) {
    const retryable = PASSING.test(error.code)
    const said = withoutPassword(error.message, connection, [user, database])
    const refusal = `${host} does not let user "${user}" into database "${database}": ${said}`
    const message = retryable ? `${host} takes no connection now: ${said}` : refusal
    const details = { sqlstate: error.code }
    return new OperatorError(retryable ? 'unreachable' : 'login_refused', message, { retryable, details, cause: error })
  }
  const code = String(error.code)
  const { says, permanent = false } = BROKEN[code] ?? {}
  if (says !== undefined) return unreachable(`${says(host)} (${code})`, !permanent, error)
  if (CERTIFICATE.test(code))
    return unreachable(`the certificate of ${host} is not accepted: ${error.message} (${code})`, false, error)
  if (NO_TLS.test(`${code} ${error.message}`))
    return unreachable(`${host} does not speak TLS, which the connection asks for (${code})`, false, error)
  return unreachable(`the connection to ${host} failed (${code})`, true, error)
}

/** A server, or a proxy before it, that was sent a password in clear may repeat it. What everybody may read hides nothing. */
function withoutPassword(said: string, { url }: Connection, shown: (string | undefined)[]): string {
  const password = postgresPassword(url)
  return shown.includes(password) ? said : createRedactor([['password', password]]).text(said)
}

function unreachable(message: string, retryable: boolean, cause: Error): OperatorError {
  return new OperatorError('unreachable', message, { retryable, cause })
}
