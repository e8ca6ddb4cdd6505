import { describe, expect, it } from 'vitest'
import { createRedactor } from '#core/secret/redactor.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { alertRecord, STARTED_BY_BYTES, STATE_BYTES } from '#core/trigger/alert-record.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'

const DIGEST = `sha256:${'d'.repeat(64)}`
const ALERT: NormalizedAlert = {
  source: 'alertmanager',
  service: 'checkout',
  symptom: 'HighErrorRate',
  status: 'firing',
  severity: 'critical',
  fingerprint: 'alertmanager|checkout|higherrorrate',
  external_id: 'am-1',
  title: 'More than 5 % of the requests fail',
  description: 'since five minutes',
  labels: { alertname: 'HighErrorRate', instance: 'web-1', token: 's3cret-token' },
  annotations: { summary: 'More than 5 % of the requests fail', 'values.B': '0.07' },
  values: { B: '0.07' },
  starts_at: '2026-01-01T12:00:00.000Z',
  links: [{ title: 'Expression', url: 'https://prometheus.example/graph' }],
  generator_url: 'https://prometheus.example/graph',
  raw_digest: DIGEST,
}
const nothing = createRedactor([])
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const big = (changes: Partial<NormalizedAlert>): NormalizedAlert => ({ ...ALERT, ...changes })

describe('what a run keeps of an alert', () => {
  it('is all of it, where it is of ordinary size', () => {
    const { fingerprint: _, raw_digest: digest, ...whole } = ALERT
    expect(alertRecord(ALERT, nothing, STATE_BYTES)).toEqual({
      ...whole,
      annotations: { summary: ALERT.title },
      digest,
    })
  })

  it('holds no secret, also not in the name of a label', () => {
    const redactor = createRedactor([['token', 's3cret-token']])
    const labels = { ...ALERT.labels, 's3cret-token': 'x' }
    const kept = alertRecord(big({ labels, title: 'with s3cret-token' }), redactor, STARTED_BY_BYTES)
    expect(JSON.stringify(kept)).not.toContain('s3cret')
    expect(kept).toMatchObject({ labels: { token: '<secret:token>' }, title: 'with <secret:token>', digest: DIGEST })
  })

  it.each([
    ['annotations', big({ annotations: { a: 'x'.repeat(90_000), b: 'small' } })],
    [
      'annotations',
      big({ annotations: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`a${n}`, 'ü€😀'])) }),
    ],
    ['labels', big({ labels: { [`n${'ame'.repeat(20_000)}`]: 'x', alertname: 'Down' } })],
    ['title', big({ title: '😀'.repeat(30_000) })],
    ['description', big({ description: '\u0001"\\'.repeat(30_000) })],
    ['service', big({ service: 'é'.repeat(1_000) })],
    ['generator_url', big({ generator_url: `https://x.example/${'q'.repeat(70_000)}` })],
    ['links', big({ links: [{ title: 'Far', url: `https://x.example/${'q'.repeat(70_000)}` }] })],
    ['values', big({ values: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`B${n}`, '1'])) })],
  ])('is cut where %s are too large, and says so', (field, alert) => {
    for (const most of [STATE_BYTES, STARTED_BY_BYTES]) {
      const kept = alertRecord(alert, nothing, most)
      expect(bytes(kept)).toBeLessThanOrEqual(most)
      expect(kept.cut).toContain(field)
      expect(kept).toMatchObject({ status: 'firing', severity: 'critical', digest: DIGEST })
      expect(JSON.stringify(kept).isWellFormed()).toBe(true)
    }
  })
})

describe('an odd label', () => {
  const group = (labels: string) => ({
    version: '4',
    commonLabels: JSON.parse(labels),
    alerts: [
      { status: 'firing', labels: { ...JSON.parse(labels), alertname: 'Odd', service: 'a' }, annotations: {} },
      { status: 'firing', labels: { alertname: 'Plain', service: 'b' }, annotations: {} },
    ],
  })
  const normalized = (labels: string) => normalizeAlerts(group(labels), undefined, () => 'd').alerts

  it.each([
    ['{"__proto__": "x"}', { '"__proto__"': 'x' }],
    ['{"__proto__": {"polluted": "yes"}}', undefined],
    [
      '{"half\\ud800": "half\\udfff", "zero\\u0000": "a\\u0000b"}',
      { 'half\ufffd': 'half\ufffd', 'zero\\u0000': 'a\\u0000b' },
    ],
    ['{"constructor": "c", "toString": "t"}', { constructor: 'c', toString: 't' }],
  ])('%s refuses nobody', (labels, kept) => {
    if (kept === undefined) return expect(() => normalized(labels)).toThrow('not complete')
    const [odd, plain] = normalized(labels)
    expect(odd?.labels).toEqual({ ...kept, alertname: 'Odd', service: 'a' })
    expect(plain?.service).toBe('b')
    const record = odd && alertRecord(odd, nothing, STATE_BYTES)
    expect(record?.labels).toEqual({ ...kept, alertname: 'Odd', service: 'a' })
    expect(Object.getPrototypeOf(record?.labels)).toBe(Object.prototype)
  })
})
