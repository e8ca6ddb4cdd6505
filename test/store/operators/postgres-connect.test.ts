import { beforeAll, describe, expect, inject, it } from 'vitest'
import { connectFailure } from '#activities/operators/postgres/connect-failure.ts'
import { postgresExecute } from '#activities/operators/postgres/execute.ts'
import { postgresQuery } from '#activities/operators/postgres/query.ts'
import { DomainError } from '#core/errors.ts'
import { freePort } from '#test/support/free-ports.ts'
import { operatorContext } from '#test/support/operator-context.ts'

beforeAll(() => postgresQuery.ready?.())

/** What a read and a write through a connection with this url fail of; they fail alike. */
async function failure(change: (url: URL) => void) {
  const url = new URL(inject('postgres_url'))
  change(url)
  const ctx = operatorContext({ connections: { main: url.href } })
  const tried = [postgresQuery, postgresExecute].map((operator) =>
    operator.execute(ctx, operator.parse({ connection: 'main', sql: 'select 1' })).catch((error: unknown) => error),
  )
  const [read, written] = await Promise.all(tried)
  expect(written).toEqual(read)
  return read as { code: string; message: string; retryable: boolean; unknown_outcome: boolean }
}

describe('a connection that does not come about is told in plain words', () => {
  const { host, username, pathname } = new URL(inject('postgres_url'))

  it('with a wrong password: for good, without the password', async () => {
    const message = await failure((url) => {
      url.password = 'wrong-pass'
    })
    expect(message).toMatchObject({ code: 'login_refused', retryable: false, unknown_outcome: false })
    expect(message.message).toContain(
      `${host} does not let user "${username}" into database "${pathname.slice(1)}": password authentication failed`,
    )
    expect(message.message).not.toContain('wrong-pass')
  })

  it('with a database that is not there: for good', async () => {
    const message = await failure((url) => {
      url.pathname = '/nowhere'
    })
    expect(message).toMatchObject({ code: 'login_refused', retryable: false })
    expect(message.message).toContain('database "nowhere" does not exist')
  })

  it('with TLS that the server does not speak: for good', async () => {
    const message = await failure((url) => url.searchParams.set('sslmode', 'require'))
    expect(message).toMatchObject({ code: 'unreachable', retryable: false })
    expect(message.message).toContain(`${host} does not speak TLS, which the connection asks for`)
  })

  it('with nobody there: until somebody is', async () => {
    const port = await freePort()
    const message = await failure((url) => {
      url.port = String(port)
    })
    expect(message).toMatchObject({
      code: 'unreachable',
      retryable: true,
      message: `nothing listens at 127.0.0.1:${port} (ECONNREFUSED)`,
    })
  })

  it.each([
    ['ENOTFOUND', false, 'the name of the host db.test:5432 is unknown (ENOTFOUND)'],
    ['EAI_AGAIN', true, 'the name of the host db.test:5432 cannot be looked up now (EAI_AGAIN)'],
    ['CONNECT_TIMEOUT', true, 'db.test:5432 does not answer (CONNECT_TIMEOUT)'],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      false,
      'the certificate of db.test:5432 is not accepted: no (DEPTH_ZERO_SELF_SIGNED_CERT)',
    ],
    ['ECONNRESET', true, 'the connection to db.test:5432 failed (ECONNRESET)'],
  ])('with %s: another attempt is %s', (code, retryable, message) => {
    const connection = { kind: 'postgres', url: 'postgres://svc:secret@db.test/app' }
    const error = Object.assign(new Error('no'), { code })
    expect(connectFailure(error, connection)).toMatchObject({
      code: 'unreachable',
      retryable,
      message,
    })
  })

  it('with a name that the environment does not declare: for good, with what it declares', async () => {
    const ctx = operatorContext({
      connection: () =>
        Promise.reject(new DomainError('not_found', 'connection "x" is not declared in environment "y"; known: none')),
    })
    const input = postgresQuery.parse({ connection: 'x', sql: 'select 1' })
    await expect(postgresQuery.execute(ctx, input)).rejects.toMatchObject({
      code: 'not_found',
      retryable: false,
      message: 'connection "x" is not declared in environment "y"; known: none',
    })
  })
})
