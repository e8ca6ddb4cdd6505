/** Codes of the operating system, of the driver, and PostgreSQL's classes 08 (connection) and 28 (authorization). */
const CONNECTION = /^(E[A-Z]+|CONN\w+|CONNECT\w+|08\w{3}|28\w{3}|3D000)$/

/** The code by which a database is not to be used at all; undefined for every other failure. */
export function whyUnreachable(error: unknown): string | undefined {
  // a host of several addresses fails with one error for each
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error]
  const codes = causes.map((cause) => (cause instanceof Error && 'code' in cause ? String(cause.code) : ''))
  return codes.find((code) => CONNECTION.test(code))
}
