import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { User } from '#core/user/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { addUser, PASSWORD } from '#test/support/users.ts'

itIsGuarded('issueToken')

const database = testDatabase()
const api = testAuthApi(database)
const open = testApi(database)
beforeEach(() => api.forget())

const Grant = z.strictObject({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.literal(3_600),
  scope: z.string(),
})
const Refusal = z.strictObject({ error: z.string(), error_description: z.string() })
describe('POST /token', () => {
  it('trades a password for a token that works, and puts it on the record', async () => {
    const user = await addUser(api.deps, { roles: ['operator'] })
    const answer = await api.signIn({
      grant_type: 'password',
      username: ` ${user.email.toUpperCase()} `,
      password: PASSWORD,
    })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const grant = Grant.parse(await answer.json())
    const me = await api.get('/auth/me', { authorization: `Bearer ${grant.access_token}` })
    expect(User.parse(await me.json())).toMatchObject({ id: user.id, last_login_at: expect.any(String) })
    expect((await api.audited(user)).at(-1)).toMatchObject({
      category: 'auth',
      action: 'token.issued',
      actor: { type: 'user', id: user.id },
    })
  })

  it('gives a token of the client that asks, and what is done with it is on record as that client’s, no matter what a header says', async () => {
    const user = await addUser(api.deps, { roles: ['approver'] })
    const channels = { 'svc-cli': 'cli', 'svc-console': 'console', docs: 'api' }
    for (const [client_id, channel] of Object.entries(channels)) {
      const answer = await api.signIn({ username: user.email, password: PASSWORD, client_id })
      const { access_token } = Grant.parse(await answer.json())
      await api.app.request('/auth/me', {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${access_token}`,
          'content-type': 'application/json',
          'x-svc-channel': channel === 'console' ? 'cli' : 'console',
        },
        body: JSON.stringify({ out_of_office_until: null }),
      })
      expect((await api.audited(user)).at(-1)).toMatchObject({ channel, actor: { id: user.id, auth: 'jwt' } })
    }
  })

  it('gives a service account a token of the console, and what is done with it is on record as the api’s', async () => {
    const machine = await addUser(api.deps, { roles: ['service'] })
    for (const [client_id, channel] of Object.entries({ 'svc-console': 'api', 'svc-cli': 'cli' })) {
      const answer = await api.signIn({ username: machine.email, password: PASSWORD, client_id })
      const { access_token } = Grant.parse(await answer.json())
      await api.app.request('/auth/me', {
        method: 'PATCH',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ out_of_office_until: null }),
      })
      expect((await api.audited(machine)).at(-1)).toMatchObject({ channel, actor: { type: 'service', id: machine.id } })
    }
  })

  it('needs neither grant_type nor a client, and any client will do', async () => {
    const { email: username } = await addUser(api.deps)
    expect((await api.signIn({ username, password: PASSWORD })).status).toBe(200)
    const client = { client_id: 'docs', client_secret: 'x' }
    expect((await api.signIn({ username, password: PASSWORD, ...client })).status).toBe(200)
  })

  it('grants no scope that the user lacks, and fewer when fewer are asked for', async () => {
    const { email: username } = await addUser(api.deps, {
      roles: ['service'],
      scopes: ['approvals:on_behalf', 'runs:start'],
    })
    const scopeOf = async (fields: Record<string, string>) =>
      Grant.parse(await (await api.signIn({ username, password: PASSWORD, ...fields })).json()).scope
    expect(await scopeOf({})).toBe('approvals:on_behalf runs:start')
    expect(await scopeOf({ scope: 'runs:start admin:everything' })).toBe('runs:start')
    expect(await scopeOf({ scope: 'admin:everything' })).toBe('')
  })

  it('answers everybody who may not come in with the same bytes, at the price of one hash', async () => {
    const active = await addUser(api.deps)
    const disabled = await addUser(api.deps, { status: 'disabled' })
    const account = await addUser(api.deps, { roles: ['service'], password_hash: null })
    const attempts = [
      { username: active.email, password: 'wrong but long enough' },
      { username: 'nobody@example.test', password: PASSWORD },
      { username: 'not an address', password: PASSWORD },
      { username: disabled.email, password: PASSWORD },
      { username: account.email, password: PASSWORD },
    ]
    const seen: string[] = []
    for (const attempt of attempts) {
      api.verified.length = 0
      const answer = await api.signIn(attempt)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store'])
      const text = await answer.text()
      expect(Refusal.parse(JSON.parse(text)).error).toBe('invalid_grant')
      seen.push(text)
      expect(api.verified.length).toBe(1)
      expect(api.verified[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    }
    expect(new Set(seen).size).toBe(1)
    expect((await api.audited(active)).at(-1)).toMatchObject({
      action: 'token.refused',
      data: { reason: 'wrong_password' },
    })
    expect((await api.audited({ id: 'unknown' })).at(-1)).toMatchObject({ data: { reason: 'unknown_user' } })
  })

  it('never writes a password or a token down', async () => {
    const { email: username } = await addUser(api.deps)
    const secret = randomBytes(12).toString('hex')
    await api.signIn({ username, password: secret })
    await api.signIn({ username: secret, password: secret })
    const { access_token } = Grant.parse(await (await api.signIn({ username, password: PASSWORD })).json())
    const rows = await database.db`select draft::text as text from audit_outbox`
    const written = JSON.stringify([rows, api.lines])
    for (const text of [secret, PASSWORD, access_token]) expect(written).not.toContain(text)
  })

  it.each<[string, string | Record<string, string>, Record<string, string>, string]>([
    ['JSON', '{"username":"a","password":"b"}', { 'content-type': 'application/json' }, 'invalid_request'],
    ['no JSON', '{', { 'content-type': 'application/json' }, 'invalid_request'],
    ['plain text', 'username=a&password=b', { 'content-type': 'text/plain' }, 'invalid_request'],
    ['nothing', '', {}, 'invalid_request'],
    ['no password', { username: 'a@example.test' }, {}, 'invalid_request'],
    ['two passwords', 'username=a&password=b&password=c', {}, 'invalid_request'],
    ['bytes that are no text', 'username=%00&password=%00', {}, 'invalid_request'],
    ['another grant', { grant_type: 'client_credentials', username: 'a', password: 'b' }, {}, 'unsupported_grant_type'],
    ['a refresh', { grant_type: 'refresh_token', username: 'a', password: 'b' }, {}, 'unsupported_grant_type'],
  ])('refuses %s in the words of OAuth', async (_what, body, headers, error) => {
    const answer = await api.signIn(body, headers)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store'])
    expect(Refusal.parse(await answer.json()).error).toBe(error)
  })

  it.each(['application/json', 'text/plain'])('says to %s which content type it takes', async (type) => {
    const { error_description } = Refusal.parse(await (await api.signIn('{}', { 'content-type': type })).json())
    expect(error_description).toContain('application/x-www-form-urlencoded')
  })

  it('refuses a body of more than eight kilobytes', async () => {
    const answer = await api.signIn({ username: 'a@example.test', password: 'x'.repeat(9_000) })
    expect([answer.status, Refusal.parse(await answer.json()).error]).toEqual([413, 'invalid_request'])
  })

  it('is throttled after five attempts a minute on one user, right or wrong, and hashes nothing more', async () => {
    const user = await addUser(api.deps)
    const other = await addUser(api.deps)
    const wrong = { username: user.email, password: 'wrong but long enough' }
    for (let n = 0; n < 5; n += 1) expect((await api.signIn(wrong)).status).toBe(400)
    api.verified.length = 0
    for (const password of ['wrong but long enough', PASSWORD]) {
      const answer = await api.signIn({ username: user.email.toUpperCase(), password })
      expect([answer.status, Refusal.parse(await answer.json()).error]).toEqual([429, 'slow_down'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(api.verified).toEqual([])
    expect((await api.signIn({ username: other.email, password: PASSWORD })).status).toBe(200)
  })

  it('is throttled after sixty attempts a minute from one address, on whomever', async () => {
    const attempt = (n: number) =>
      api.signIn({ username: `user${n}@example.test`, password: PASSWORD, grant_type: 'password' })
    const answers = []
    for (let n = 0; n < 61; n += 1) answers.push((await attempt(n)).status)
    expect(answers.filter((status) => status === 400).length).toBe(60)
    expect(answers.at(-1)).toBe(429)
  })

  it('is 501 while authentication is off', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ username: 'a', password: 'b' }) }
    expect(await codeOf(await open.app.request('/token', form))).toEqual([501, 'not_configured'])
  })
})
