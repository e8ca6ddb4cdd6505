import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ingressHeaders } from '#core/ingress/delivery-scope.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import { IngressSpec } from '#core/ingress/ingress-schema.ts'
import { normalizeDelivery } from '#core/ingress/normalize-delivery.ts'
import { VerifySpec } from '#core/ingress/verify-schema.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function ingress(normalize: object = {}, when?: string): Ingress {
  const spec = IngressSpec.parse({
    name: 'hook',
    verify: { scheme: 'bearer', secret: 'env:TOKEN' },
    ...(when !== undefined && { when }),
    normalize: { service: 'body.service', symptom: 'headers["x-event"]', ...normalize },
    rules: [{ name: 'any', on: 'ingress', run: 'demo/hello' }],
  })
  return { ...spec, pack: 'demo', rules: [] }
}

const headers = { 'x-event': 'failed' }
const scope = { headers, body: { service: ' Shop ', n: 3, none: null, list: [] } }

describe('ingressHeaders', () => {
  const sent: [string, string][] = [
    ['X-Event', 'failed'],
    ['X-Other', 'unasked'],
    ['Dotted', 'one'],
    ['X-Looked-For', 'two'],
    ['User-Agent', 'probe/1'],
    ['Authorization', 'Bearer secret'],
    ['Cookie', 'a=b'],
    ['X-Hub-Signature-256', 'sha256=00'],
    ['X-Proof', 'sig'],
  ]

  it('are those that the inbox keeps and those that an expression names', () => {
    const when = `"x-looked-for" in headers && headers.dotted == 'one'`
    expect(ingressHeaders(ingress({}, when), sent)).toEqual({
      'x-event': 'failed',
      dotted: 'one',
      'x-looked-for': 'two',
      'user-agent': 'probe/1',
    })
  })

  it('are never what proves who somebody is, not even when an expression asks for it', () => {
    const normalize = {
      title: 'headers["authorization"]',
      description: 'headers["x-hub-signature-256"] + headers["x-proof"] + headers.cookie',
    }
    const verify = { scheme: 'hmac', secret: 'env:TOKEN', header: 'X-Proof' } as const
    const asked = { ...ingress(normalize), verify: VerifySpec.parse(verify) }
    expect(ingressHeaders(asked, sent)).toEqual({ 'x-event': 'failed', 'user-agent': 'probe/1' })
  })
})

describe('normalizeDelivery', () => {
  it('refuses an expression that costs too much by its field, and lets all of them share what they may cost', () => {
    const body = { ...scope.body, text: 'ab '.repeat(10_000) }
    const title = 'body.text.split("").map(c, body.text).join("")'
    expect(() => normalizeDelivery(ingress({ title }), { headers, body }, sha256)).toThrow(/title.*units of work/)
    const part = 'string(body.text.split(" ").exists(word, word == "c"))'
    const given = (count: number) => ({
      labels: Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, part])),
    })
    expect(normalizeDelivery(ingress(given(1)), { headers, body }, sha256)?.labels).toEqual({ l0: 'false' })
    expect(() => normalizeDelivery(ingress(given(10)), { headers, body }, sha256)).toThrow(/labels.*units of work/)
  })

  it('fills in what is not given', () => {
    expect(normalizeDelivery(ingress(), scope, sha256)).toEqual({
      source: 'demo/hook',
      service: 'Shop',
      symptom: 'failed',
      status: 'firing',
      severity: 'medium',
      fingerprint: 'demo/hook|shop|failed',
      title: 'failed',
      labels: {},
      annotations: {},
      links: [],
      raw_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
  })

  it('takes everything that an alert has', () => {
    const full = {
      source: '"shop"',
      status: '"resolved"',
      severity: '"P1"',
      external_id: 'body.n',
      title: '"n is " + string(body.n)',
      description: 'body.none',
      starts_at: '"2026-01-01T00:00:00Z"',
      labels: { n: 'body.n', gone: 'body.none' },
      annotations: { event: 'headers["x-event"]' },
    }
    expect(normalizeDelivery(ingress(full), scope, sha256)).toMatchObject({
      fingerprint: 'shop|shop|failed',
      status: 'resolved',
      severity: 'critical',
      external_id: '3',
      title: 'n is 3',
      starts_at: '2026-01-01T00:00:00.000Z',
      labels: { n: '3' },
      annotations: { event: 'failed' },
    })
  })

  it('makes nothing of a delivery that `when` does not hold for', () => {
    expect(normalizeDelivery(ingress({}, 'body.n > 3'), scope, sha256)).toBeUndefined()
    expect(normalizeDelivery(ingress({}, 'body.n == 3'), scope, sha256)).toBeDefined()
  })

  it.each([
    [{ service: 'body.missing' }, /^service: /],
    [{ service: 'body.none' }, /^service: it has no value/],
    [{ title: 'body.list' }, /^title: its value is not text/],
    [{ status: '"Firing"' }, /^status: it must be firing or resolved/],
    [{ labels: { x: 'body.missing' } }, /^labels\.x: /],
  ])('names the field that has no value or one that does not fit: %j', (normalize, message) => {
    expect(() => normalizeDelivery(ingress(normalize), scope, sha256)).toThrow(
      expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) }),
    )
  })

  it('makes an alert or says what is missing, no matter what is sent', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        try {
          const alert = normalizeDelivery(ingress(), { body: JSON.parse(text), headers }, sha256)
          expect(alert?.service).not.toBe('')
        } catch (error) {
          expect(error).toMatchObject({ code: 'validation_failed' })
        }
      }),
    )
  })
})
