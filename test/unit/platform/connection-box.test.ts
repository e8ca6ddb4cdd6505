import { compactDecrypt, decodeProtectedHeader } from 'jose'
import { expect, test } from 'vitest'
import { type ConnectionBox, createConnectionBox } from '#platform/connection-box.ts'

const OLD = 'the old key of this test, 32 bytes and more'
const NEW = 'the new key of this test, 32 bytes and more'
const BOUND = { id: `conn_${'0'.repeat(26)}`, version: 3, address: 'http bearer https://api.example.com/' }

function ring(...keys: string[]): ConnectionBox {
  const box = createConnectionBox(keys)
  if (box === undefined) throw new Error('a ring without keys')
  return box
}

test('without a key there is no box', () => {
  expect(createConnectionBox([])).toBeUndefined()
})

test('a secret is a compact JWE whose header names its key, connection, version and address', async () => {
  const { kid, sealed } = await ring(OLD).seal(BOUND, 'opensesame')
  expect(decodeProtectedHeader(sealed)).toEqual({
    ...{ alg: 'dir', enc: 'A256GCM', kid },
    ...{ sub: BOUND.id, ver: 3, aud: BOUND.address },
  })
  expect(await ring(OLD).open(BOUND, sealed)).toBe('opensesame')
  await expect(compactDecrypt(sealed, new TextEncoder().encode(OLD).slice(0, 32))).rejects.toThrow()
})

test('the first key of a ring seals, and every key opens', async () => {
  const before = await ring(OLD).seal(BOUND, 'opensesame')
  const rotated = ring(NEW, OLD)
  expect(await rotated.open(BOUND, before.sealed)).toBe('opensesame')
  const after = await rotated.seal(BOUND, 'opensesame')
  expect(await ring(NEW).open(BOUND, after.sealed)).toBe('opensesame')
  expect([rotated.kid, rotated.has(before.kid), ring(NEW).has(before.kid)]).toEqual([after.kid, true, false])
})

test('a ring that lost the key names it', async () => {
  const { kid, sealed } = await ring(OLD).seal(BOUND, 'opensesame')
  await expect(ring(NEW).open(BOUND, sealed)).rejects.toMatchObject({
    code: 'not_configured',
    message: expect.stringContaining(kid),
  })
})

test.each([
  ['another connection', { id: `conn_${'1'.repeat(26)}` }],
  ['another version', { version: 4 }],
  ['another address', { address: 'http bearer https://evil.example.com/' }],
])('a secret that was copied to %s does not open, also with a forged header', async (_what, other) => {
  const { sealed } = await ring(OLD).seal(BOUND, 'opensesame')
  const bound = { ...BOUND, ...other }
  await expect(ring(OLD).open(bound, sealed)).rejects.toMatchObject({ code: 'internal' })
  const { id, version, address } = bound
  const header = { ...decodeProtectedHeader(sealed), sub: id, ver: version, aud: address }
  const forged = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...sealed.split('.').slice(1)].join('.')
  await expect(ring(OLD).open(bound, forged)).rejects.toMatchObject({ code: 'internal' })
})

test('a fingerprint tells secrets apart, and is another one under another key', () => {
  const box = ring(OLD)
  expect(box.fingerprint('opensesame')).toMatch(/^[0-9a-f]{8}$/)
  expect(box.fingerprint('opensesame')).toBe(ring(OLD).fingerprint('opensesame'))
  expect(box.fingerprint('opensesame2')).not.toBe(box.fingerprint('opensesame'))
  expect(ring(NEW).fingerprint('opensesame')).not.toBe(box.fingerprint('opensesame'))
})
