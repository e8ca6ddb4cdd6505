import { compactDecrypt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { createSecretBox } from '#platform/secret-box.ts'

const KEY = 'a master key of more than 32 bytes, for tests'
const RUN = `run_${'0'.repeat(26)}`
const box = createSecretBox(KEY)

describe('createSecretBox', () => {
  test('opens what it sealed, in another process too', async () => {
    const secrets = { '/token': 'opensesame', '/login/pin': 4711, '/list': ['a', { b: null }] }
    const sealed = await box.seal(RUN, secrets)
    expect(await createSecretBox(KEY).open(RUN, sealed)).toEqual(secrets)
    expect(sealed).not.toContain(Buffer.from('opensesame').toString('base64url').slice(0, 10))
  })

  test('is a compact JWE, dir and A256GCM, that names its key and its run', async () => {
    const sealed = await box.seal(RUN, { '/a': 1 })
    expect(sealed.split('.')).toHaveLength(5)
    expect(decodeProtectedHeader(sealed)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: expect.stringMatching(/^[0-9a-f]{8}$/),
      sub: RUN,
    })
    await expect(compactDecrypt(sealed, new TextEncoder().encode(KEY).slice(0, 32))).rejects.toThrow()
  })

  test('says which key is missing after a rotation', async () => {
    const sealed = await box.seal(RUN, { '/a': 1 })
    const other = createSecretBox(`${KEY}!`)
    await expect(other.open(RUN, sealed)).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining(String(decodeProtectedHeader(sealed).kid)),
    })
  })

  test('does not open for another run, nor after a change of one character', async () => {
    const sealed = await box.seal(RUN, { '/a': 1 })
    await expect(box.open(`run_${'1'.repeat(26)}`, sealed)).rejects.toMatchObject({ code: 'internal' })
    const parts = sealed.split('.')
    parts[3] = [...(parts[3] ?? '')].reverse().join('')
    await expect(box.open(RUN, parts.join('.'))).rejects.toMatchObject({ code: 'internal' })
    const { alg, enc, kid } = decodeProtectedHeader(sealed)
    parts[0] = Buffer.from(JSON.stringify({ alg, enc, kid, sub: `run_${'1'.repeat(26)}` })).toString('base64url')
    await expect(box.open(`run_${'1'.repeat(26)}`, parts.join('.'))).rejects.toMatchObject({ code: 'internal' })
    await expect(box.open(RUN, 'not a seal')).rejects.toMatchObject({ code: 'not_configured' })
  })

  test('commits to the same value alike inside one workspace only', () => {
    const commit = box.commitmentsIn('ws_a')
    expect(commit('opensesame')).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
    expect(createSecretBox(KEY).commitmentsIn('ws_a')('opensesame')).toBe(commit('opensesame'))
    expect(commit({ b: 1, a: 2 })).toBe(commit({ a: 2, b: 1 }))
    expect(commit('opensesame2')).not.toBe(commit('opensesame'))
    expect(box.commitmentsIn('ws_b')('opensesame')).not.toBe(commit('opensesame'))
    expect(createSecretBox(`${KEY}!`).commitmentsIn('ws_a')('opensesame')).not.toBe(commit('opensesame'))
  })
})
