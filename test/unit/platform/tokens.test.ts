import { decodeProtectedHeader, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createTokens } from '#platform/tokens.ts'

const SECRET = 'a secret of more than thirty-two bytes'
const NOW = Date.parse('2026-01-05T09:30:00.000Z')
const SUBJECT = {
  id: 'usr_00000000000000000000000001',
  email: 'ada@example.test',
  account_id: 'acc_local',
  roles: ['viewer'],
  workspaces: ['ws_00000000000000000000000000'],
  token_version: 3,
}

const at = (ms: number) => createTokens({ secret: SECRET, ttl_ms: 60_000, clock: () => ms })

describe('a token', () => {
  it('proves its user, its version and its scopes until it expires, give or take two seconds', async () => {
    const { token, expires_in_s } = await at(NOW).issue(SUBJECT, ['runs:read'])
    expect(expires_in_s).toBe(60)
    const claims = { sub: SUBJECT.id, tv: 3, scopes: ['runs:read'] }
    expect(await at(NOW).verify(token)).toEqual(claims)
    expect(await at(NOW + 61_000).verify(token)).toEqual(claims)
    expect(await at(NOW + 63_000).verify(token)).toBeUndefined()
    expect(await at(NOW - 3_000).verify(token)).toBeUndefined()
  })

  it('says nothing of its key', async () => {
    const { token } = await at(NOW).issue(SUBJECT, [])
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'at+jwt' })
  })

  it('of another kind is none, though it is signed with the same secret', async () => {
    const key = new TextEncoder().encode(SECRET)
    const link = await new SignJWT({ tv: 3, scope: '' })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('svc')
      .setAudience('svc-api')
      .setSubject(SUBJECT.id)
      .setJti('1')
      .setIssuedAt(NOW / 1_000)
      .setNotBefore(NOW / 1_000)
      .setExpirationTime(NOW / 1_000 + 60)
      .sign(key)
    expect(await at(NOW).verify(link)).toBeUndefined()
  })
})

it('a secret of less than 32 bytes is refused', () => {
  expect(() => createTokens({ secret: 'x'.repeat(31), ttl_ms: 1, clock: Date.now })).toThrow(/32 bytes/)
})
