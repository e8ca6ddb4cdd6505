import { createHmac, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, SignJWT } from 'jose'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createTokens } from '#platform/tokens.ts'
import type { UserRow } from '#store/users.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { admitTestRun } from '../support/test-runs.ts'
import { addUser, bearer, SECRET } from '../support/users.ts'

const KEY = new TextEncoder().encode(SECRET)
let user: UserRow
let now = Date.now()

const database = testDatabase()
const api = testApi(database, { secret: SECRET, services: { clock: () => now } })
beforeAll(async () => {
  user = await addUser(api.deps)
})

const me = (headers: Record<string, string> = {}) => api.get('/auth/me', headers)
const seconds = () => Math.floor(now / 1_000)

/** The claims of a sound token, to be spoilt one at a time. */
async function claims(): Promise<Record<string, unknown>> {
  return { ...decodeJwt(tokenOf(await bearer(api.deps, user))) }
}

const tokenOf = (header: { authorization: string }) => header.authorization.slice('Bearer '.length)

async function forged(
  spoil: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key: Uint8Array = KEY,
): Promise<string> {
  return new SignJWT({ ...(await claims()), ...spoil })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', ...header })
    .sign(key)
}

/** Signed with HMAC-SHA256 over whatever the header says. */
async function signedBy(header: Record<string, unknown>, secret: string | Uint8Array): Promise<string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part(header)}.${part(await claims())}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

async function rsaSigned(): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return new SignJWT(await claims()).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' }).sign(privateKey)
}

async function publicKeyAsSecret(): Promise<string> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return signedBy({ alg: 'HS256', typ: 'at+jwt' }, publicKey.export({ type: 'spki', format: 'pem' }))
}

async function unsigned(alg: string): Promise<string> {
  const [, payload] = tokenOf(await bearer(api.deps, user)).split('.')
  return `${Buffer.from(JSON.stringify({ alg, typ: 'at+jwt' })).toString('base64url')}.${payload}.`
}

async function tampered(): Promise<string> {
  const [header, , signature] = tokenOf(await bearer(api.deps, user)).split('.')
  const payload = Buffer.from(JSON.stringify({ ...(await claims()), roles: ['owner'] })).toString('base64url')
  return `${header}.${payload}.${signature}`
}

describe('a sound token', () => {
  it('lets its user in', async () => {
    const answer = await me(await bearer(api.deps, user))
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ id: user.id })])
  })

  it('is what the forgeries below are made of: unspoilt, they pass', async () => {
    expect((await me({ authorization: `Bearer ${await forged()}` })).status).toBe(200)
    const whole = await signedBy({ alg: 'HS256', typ: 'at+jwt' }, SECRET)
    expect((await me({ authorization: `Bearer ${whole}` })).status).toBe(200)
  })
})

describe('401 for a token', () => {
  it.each<[string, () => Promise<string>]>([
    ['without a signature (none)', () => unsigned('none')],
    ['without a signature (None)', () => unsigned('None')],
    ['without a signature (HS256)', () => unsigned('HS256')],
    ['signed with RS256', rsaSigned],
    ['signed with a public key as the secret', publicKeyAsSecret],
    ['that says RS256 and is signed with the secret', () => signedBy({ alg: 'RS256', typ: 'at+jwt' }, SECRET)],
    ['that says HS512', () => forged({}, { alg: 'HS512' })],
    ['with a kid of a path', () => signedBy({ alg: 'HS256', typ: 'at+jwt', kid: '../../dev/null' }, '')],
    ['with a kid of SQL', () => signedBy({ alg: 'HS256', typ: 'at+jwt', kid: "x' union select 'k" }, 'k')],
    ['with a kid, though the key is right', () => forged({}, { kid: '1' })],
    ['that brings its key', () => forged({}, { jwk: { kty: 'oct', k: 'AAAA' } }, new Uint8Array(32))],
    ['that names a key elsewhere', () => forged({}, { jku: 'http://127.0.0.1:1/keys' })],
    ['of another type', () => forged({}, { typ: 'JWT' })],
    ['that has expired', () => forged({ exp: seconds() - 10 })],
    ['that never expires', () => forged({ exp: undefined })],
    ['that is not good yet', () => forged({ nbf: seconds() + 60 })],
    ['for somebody else', () => forged({ aud: 'another-api' })],
    ['for nobody', () => forged({ aud: undefined })],
    ['from somebody else', () => forged({ iss: 'another' })],
    ['without an id of its own', () => forged({ jti: undefined })],
    ['without a version', () => forged({ tv: undefined })],
    ['with a version in words', () => forged({ tv: '1' })],
    ['of an older version', () => forged({ tv: user.token_version - 1 })],
    ['of a version to come', () => forged({ tv: user.token_version + 1 })],
    ['of nobody', () => forged({ sub: undefined })],
    ['of an unknown user', () => forged({ sub: 'usr_00000000000000000000000000' })],
    ['of the local owner', () => forged({ sub: 'usr_local' })],
    [
      'signed with another secret',
      () => forged({}, {}, new TextEncoder().encode('another secret of more than 32 bytes')),
    ],
    ['with other claims than were signed', tampered],
    ['cut short', async () => (await forged()).slice(0, -3)],
    ['of two parts', async () => (await forged()).split('.').slice(0, 2).join('.')],
    ['of four parts', async () => `${await forged()}.AAAA`],
    ['of nothing', async () => '..'],
    ['of more than eight kilobytes', () => forged({ filler: 'x'.repeat(8_192) })],
  ])('%s', async (_what, token) => {
    const answer = await me({ authorization: `Bearer ${await token()}` })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
    expect(await answer.json()).toMatchObject({ code: 'unauthenticated' })
  })
})

describe('401 for a request that holds a sound token', () => {
  it.each<[string, (token: string) => Record<string, string>]>([
    ['under Basic', (token) => ({ authorization: `Basic ${token}` })],
    ['as Basic credentials', (token) => ({ authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` })],
    ['under Token', (token) => ({ authorization: `Token ${token}` })],
    ['under no scheme', (token) => ({ authorization: token })],
    ['under Bearer twice', (token) => ({ authorization: `Bearer Bearer ${token}` })],
    ['with more behind it', (token) => ({ authorization: `Bearer ${token} x` })],
    ['behind a tab', (token) => ({ authorization: `Bearer\t${token}` })],
    ['behind two spaces', (token) => ({ authorization: `Bearer  ${token}` })],
    [
      'in another header',
      (token) => ({ 'x-authorization': `Bearer ${token}`, 'proxy-authorization': `Bearer ${token}` }),
    ],
    ['in a cookie', (token) => ({ cookie: `access_token=${token}; token=${token}; Authorization=Bearer ${token}` })],
    ['nowhere', () => ({})],
  ])('%s', async (_where, headers) => {
    expect((await me(headers(tokenOf(await bearer(api.deps, user))))).status).toBe(401)
  })

  it('in two headers', async () => {
    const headers = new Headers()
    const { authorization } = await bearer(api.deps, user)
    headers.append('authorization', authorization)
    headers.append('authorization', authorization)
    expect((await api.app.request('/auth/me', { headers })).status).toBe(401)
  })

  it('in the query', async () => {
    const token = tokenOf(await bearer(api.deps, user))
    for (const name of ['access_token', 'token', 'authorization', 'jwt']) {
      expect((await api.get(`/auth/me?${name}=${token}`)).status).toBe(401)
    }
  })

  it('in the body', async () => {
    const token = tokenOf(await bearer(api.deps, user))
    expect((await api.post('/auth/logout', { access_token: token })).status).toBe(401)
  })

  it('whose time is over', async () => {
    const header = await bearer(api.deps, user)
    now += 3_600_000 + 3_000
    expect((await me(header)).status).toBe(401)
  })
})

describe('the user behind a token', () => {
  const change = (of: UserRow, patch: Parameters<typeof addUser>[1]) =>
    api.deps.identity.users.change(of.id, () => ({
      patch: patch ?? {},
      audit: {
        id: api.deps.services.ids.next('audit'),
        ts: new Date(now).toISOString(),
        category: 'admin',
        action: 'user.changed',
        workspace_id: 'ws_00000000000000000000000000',
        actor: { type: 'system', id: 'test', auth: 'none' },
        subject: { type: 'user', id: of.id },
        data: {},
      },
    }))

  it('is refused within five seconds of being disabled', async () => {
    const other = await addUser(api.deps)
    const header = await bearer(api.deps, other)
    expect((await me(header)).status).toBe(200)
    await change(other, { status: 'disabled' })
    now += 5_001
    expect((await me(header)).status).toBe(401)
  })

  it('is refused while only invited', async () => {
    const other = await addUser(api.deps)
    const header = await bearer(api.deps, other)
    await change(other, {
      status: 'invited',
      invite_hash: 'f'.repeat(64),
      invite_expires_at: '2099-01-01T00:00:00.000Z',
    })
    expect((await me(header)).status).toBe(401)
  })

  it('has the roles of now, no matter what the token says', async () => {
    const other = await addUser(api.deps, { roles: ['admin'] })
    const header = await bearer(api.deps, other)
    expect((await api.get('/admin/users', header)).status).toBe(200)
    await change(other, { roles: ['viewer'] })
    now += 5_001
    expect((await api.get('/admin/users', header)).status).toBe(403)
    await change(other, { workspaces: ['ws_00000000000000000000000001'] })
    now += 5_001
    expect((await api.get('/runs', header)).status).toBe(404)
  })

  it('is let in at once with a newer token, although the older one is remembered', async () => {
    const other = await addUser(api.deps)
    expect((await me(await bearer(api.deps, other))).status).toBe(200)
    const renewed = await change(other, { token_version: other.token_version + 1 })
    if (renewed === undefined) throw new Error('no such user')
    expect((await me(await bearer(api.deps, renewed))).status).toBe(200)
  })

  it('is sent away from an open stream at the next ping', async () => {
    const other = await addUser(api.deps)
    const header = await bearer(api.deps, other)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const stream = await api.get(`/runs/${await admitTestRun(api)}/stream`, header)
    expect(stream.status).toBe(200)
    await change(other, { roles: ['operator'], token_version: other.token_version + 1 })
    now += 5_001
    vi.advanceTimersByTime(15_000)
    vi.useRealTimers()
    expect(await stream.text()).toContain(': ping')
  })
})

it('no token of another deployment is good here', async () => {
  const theirs = createTokens({ secret: `${SECRET}.`, ttl_ms: 60_000, clock: () => now })
  const { token } = await theirs.issue(user, [])
  expect((await me({ authorization: `Bearer ${token}` })).status).toBe(401)
})

it('no refusal says a word of why', async () => {
  const bodies = await Promise.all(
    [await unsigned('none'), await forged({ exp: 1 }), await forged({ sub: 'usr_x' }), 'x'].map(async (token) => {
      const problem = z
        .looseObject({ detail: z.string() })
        .parse(await (await me({ authorization: `Bearer ${token}` })).json())
      return problem.detail
    }),
  )
  expect(new Set(bodies).size).toBe(1)
})
