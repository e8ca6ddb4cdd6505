import { describe, expect, it } from 'vitest'
import { isSecretName, redactUrl } from '#core/egress/url.ts'

describe('isSecretName', () => {
  it.each([
    'Authorization',
    'X-Api-Key',
    'cookie',
    'Set-Cookie',
    'access_token',
    'clientSecret',
    'PASSWORD',
    'x-auth-token',
    'apikey',
    'X-Hub-Signature-256',
    'sessionId',
  ])('%s holds a secret', (name) => expect(isSecretName(name)).toBe(true))
  it.each(['content-type', 'accept', 'idempotency-key', 'monkey', 'author', 'x-request-id', 'tokenizer'])(
    '%s holds none',
    (name) => expect(isSecretName(name)).toBe(false),
  )
})

describe('redactUrl', () => {
  it('hides user information and secret parameters, and drops the fragment', () => {
    expect(redactUrl('https://u:p@h.example/a?token=abc&q=1&api%5Fkey=z#frag')).toBe(
      'https://h.example/a?token=<hidden>&q=1&api%5Fkey=<hidden>',
    )
  })
  it('leaves relative and odd text readable', () => {
    expect(redactUrl('/health?x=%zz')).toBe('/health?x=%zz')
  })
})
