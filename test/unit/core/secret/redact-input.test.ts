import { describe, expect, test } from 'vitest'
import type { Json } from '#core/json/json.ts'
import { redactInput } from '#core/secret/redact-input.ts'
import { createRedactor } from '#core/secret/redactor.ts'

const commit = (value: Json) => `hmac-sha256:${JSON.stringify(value).length}`
const nothing = createRedactor([])

describe('redactInput', () => {
  test('shows everything that is not secret and commits to nothing', () => {
    const input = { method: 'POST', url: 'http://a.test/x?page=2', headers: { accept: '*/*' }, json: { n: [1, null] } }
    expect(redactInput(input, nothing, commit)).toEqual({ shown: input, commitments: {}, committed: input })
  })

  test('hides secrets of the run wherever they stand, and names them by pointer', () => {
    const redacted = redactInput(
      { params: ['plain', 'Bearer opensesame'] },
      createRedactor([['token', 'opensesame']]),
      commit,
    )
    expect(redacted.shown).toEqual({ params: ['plain', 'Bearer <secret:token>'] })
    expect(redacted.commitments).toEqual({ '/params/1': commit('Bearer opensesame') })
    expect(redacted.committed).toEqual({ params: ['plain', commit('Bearer opensesame')] })
  })

  test('shows what only sounds like a secret', () => {
    const input = {
      url: 'http://a.test/?api_key=k1&token=t',
      headers: { authorization: 'Basic abc' },
      json: { a: { password: 'p' }, 'to/ken': null },
    }
    expect(redactInput(input, nothing, commit)).toEqual({ shown: input, commitments: {}, committed: input })
  })

  test('shows what would not be seen, and hashes what is sent', () => {
    const input = { body: 'pay\u202eelbon', json: { 'k\u200b': ['\u0007'] } }
    const { shown, committed } = redactInput(input, nothing, commit)
    expect(shown).toEqual({ body: 'pay\\u{202e}elbon', json: { 'k\\u{200b}': ['\\u{7}'] } })
    expect(committed).toEqual(input)
  })

  test('without a key nothing is committed to, and the hash covers the value itself', () => {
    const input = { headers: { authorization: 'Basic opensesame' } }
    expect(redactInput(input, createRedactor([['token', 'opensesame']]), undefined)).toEqual({
      shown: { headers: { authorization: 'Basic <secret:token>' } },
      commitments: {},
      committed: input,
    })
  })
})
