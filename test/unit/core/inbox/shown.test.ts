import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HIDDEN } from '#core/egress/url.ts'
import { shownBody } from '#core/inbox/item.ts'
import { keptHeaders } from '#core/inbox/kept-headers.ts'

test('what is named like a secret is hidden at any depth, and the rest is shown as it is', () => {
  const body = { service: 'shop', inputs: [{ api_key: 'k', token: { nested: 1 }, url: 'http://x', password: null }] }
  expect(shownBody(JSON.stringify(body))).toEqual({
    service: 'shop',
    inputs: [{ api_key: HIDDEN, token: HIDDEN, url: 'http://x', password: null }],
  })
})

test('a body that is not JSON is not shown', () => {
  expect(shownBody('payload=1&password=hunter2')).toBe(HIDDEN)
})

test('no header that proves who sent it is kept', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (value) => {
      const sent = new Map(
        [
          ['Authorization', value],
          ['Cookie', value],
          ['X-Hub-Signature-256', value],
          ['Webhook-Signature', value],
          ['X-Api-Key', value],
          ['X-GitHub-Event', 'push'],
        ].map(([name = '', text = '']) => [name.toLowerCase(), text]),
      )
      expect(keptHeaders((name) => sent.get(name))).toEqual({ 'x-github-event': 'push' })
    }),
  )
})
