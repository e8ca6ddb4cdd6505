import { describe, expect, test } from 'vitest'
import type { Json } from '#core/json.ts'
import { createRedactor } from '#core/secret/redactor.ts'
import { veilInput } from '#core/secret/veil-input.ts'

const commit = (value: Json) => `hmac-sha256:${JSON.stringify(value).length}`
const nothing = createRedactor([])

describe('veilInput', () => {
  test('shows everything that is not secret and commits to nothing', () => {
    const input = { method: 'POST', url: 'http://a.test/x?page=2', headers: { accept: '*/*' }, json: { n: [1, null] } }
    expect(veilInput(input, nothing, commit)).toEqual({ shown: input, commitments: {}, committed: input })
  })

  test('hides secrets of the run wherever they stand, and names them by pointer', () => {
    const veiled = veilInput({ params: ['plain', 'Bearer opensesame'] }, createRedactor(['opensesame']), commit)
    expect(veiled.shown).toEqual({ params: ['plain', 'Bearer <hidden>'] })
    expect(veiled.commitments).toEqual({ '/params/1': commit('Bearer opensesame') })
    expect(veiled.committed).toEqual({ params: ['plain', commit('Bearer opensesame')] })
  })

  test('hides what is secret by its name in headers, bodies and urls', () => {
    const input = {
      url: 'http://a.test/?api_key=k1',
      headers: { Authorization: 'Basic abc' },
      json: { a: { password: 'p' }, 'to/ken': null },
      key: 'not a field whose members are named',
    }
    const { shown, commitments } = veilInput(input, nothing, commit)
    expect(shown).toEqual({
      ...input,
      url: 'http://a.test/?api_key=<hidden>',
      headers: { Authorization: '<hidden>' },
      json: { a: { password: '<hidden>' }, 'to/ken': null },
    })
    expect(Object.keys(commitments)).toEqual(['/url', '/headers/Authorization', '/json/a/password'])
  })

  test('without a key nothing is committed to, and the hash covers the value itself', () => {
    const input = { headers: { authorization: 'Basic abc' } }
    expect(veilInput(input, nothing, undefined)).toEqual({
      shown: { headers: { authorization: '<hidden>' } },
      commitments: {},
      committed: input,
    })
  })
})
