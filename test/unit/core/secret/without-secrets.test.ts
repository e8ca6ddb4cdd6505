import { expect, test } from 'vitest'
import { withoutSecrets } from '#core/secret/secret-mark.ts'

test('what a schema declares secret is left out, wherever it stands, without a mark', () => {
  const secret = { type: 'string', writeOnly: true }
  const schema = {
    type: 'object',
    properties: { url: {}, token: secret, login: { type: 'object', properties: { user: {}, password: secret } } },
  }
  const inputs = { url: 'x', token: 'a', login: { user: 'u', password: 'b' } }
  expect(withoutSecrets(schema, inputs)).toEqual({ url: 'x', login: { user: 'u' } })
  expect(withoutSecrets(schema, { url: 'x' })).toEqual({ url: 'x' })
  expect(withoutSecrets(schema, { login: 'text' })).toEqual({})
})
