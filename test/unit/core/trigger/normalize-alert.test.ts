import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { ALERT_SOURCES } from '#core/trigger/alert-sources.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const normalize = (body: unknown, source?: string) => normalizeAlerts(body, source, sha256)

function refusal(body: unknown, source?: string): DomainError {
  try {
    normalize(body, source)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

type Labels = Record<string, string>
const group = (alerts: unknown[], more: object = {}) => ({
  version: '4',
  groupKey: '{}:{}',
  receiver: 'svc',
  alerts,
  ...more,
})
const one = (labels: Labels, annotations: Labels = {}, more: object = {}) =>
  normalize(group([{ status: 'firing', labels, annotations, ...more }])).alerts[0]

describe('an Alertmanager group', () => {
  test('becomes one alert per member, in order', () => {
    const raw = {
      status: 'resolved',
      labels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'page', instance: 'web-1:9100' },
      annotations: {
        summary: 'Too many errors',
        description: '5 % of the requests fail',
        runbook_url: 'https://runbooks.example.test/errors',
      },
      startsAt: '2026-01-05T10:30:00.123456789+01:00',
      endsAt: '2026-01-05T09:45:00Z',
      generatorURL: 'http://prometheus.example.test/graph',
      fingerprint: 'c0ffee0123456789',
    }
    const { alerts, truncated } = normalize(
      group([raw, { ...raw, status: 'firing', endsAt: '0001-01-01T00:00:00Z' }], {
        externalURL: 'http://am.example.test',
        truncatedAlerts: 7,
      }),
    )
    expect(truncated).toBe(7)
    expect(alerts).toHaveLength(2)
    expect(alerts[0]).toEqual({
      source: 'alertmanager',
      service: 'checkout',
      symptom: 'HighErrorRate',
      status: 'resolved',
      severity: 'critical',
      fingerprint: 'alertmanager|checkout|higherrorrate',
      external_id: 'c0ffee0123456789',
      title: 'Too many errors',
      description: '5 % of the requests fail',
      labels: raw.labels,
      annotations: raw.annotations,
      starts_at: '2026-01-05T09:30:00.123Z',
      ends_at: '2026-01-05T09:45:00.000Z',
      links: [
        { title: 'Expression', url: 'http://prometheus.example.test/graph' },
        { title: 'Runbook', url: 'https://runbooks.example.test/errors' },
        { title: 'Alertmanager', url: 'http://am.example.test' },
      ],
      generator_url: 'http://prometheus.example.test/graph',
      raw_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
    expect(alerts[1]).toMatchObject({ status: 'firing' })
    expect(alerts[1]).not.toHaveProperty('ends_at')
    expect(alerts[1]?.raw_digest).not.toBe(alerts[0]?.raw_digest)
  })

  test.each<[Labels, string]>([
    [{ service: 'checkout', job: 'node', namespace: 'shop', instance: 'a:1' }, 'checkout'],
    [{ job: 'node', namespace: 'shop', instance: 'a:1' }, 'node'],
    [{ namespace: 'shop', instance: 'a:1' }, 'shop'],
    [{ service: ' ', job: 'node' }, 'node'],
    [{ instance: 'web-1.example.test:9100' }, 'web-1.example.test'],
    [{ instance: 'web-1' }, 'web-1'],
    [{ instance: '10.0.0.1:9100' }, '10.0.0.1'],
    [{ instance: '[2001:db8::1]:9100' }, '2001:db8::1'],
    [{ instance: '2001:db8::1' }, '2001:db8::1'],
    [{ instance: 'https://someone@shop.example.test:8443/health?x=1' }, 'shop.example.test'],
    [{ instance: ':9100' }, 'unknown'],
    [{ instance: '' }, 'unknown'],
    [{}, 'unknown'],
  ])('with the labels %j is about the service %s', (labels, service) => {
    expect(one(labels)?.service).toBe(service)
  })

  test('without a name is about something unnamed', () => {
    expect(one({ service: 'checkout' })).toMatchObject({
      symptom: 'unnamed',
      title: 'unnamed',
      fingerprint: 'alertmanager|checkout|unnamed',
    })
  })

  test.each<[Labels, string, string | undefined]>([
    [{ summary: 'S', title: 'T', description: 'D' }, 'S', 'D'],
    [{ title: 'T', message: 'M' }, 'T', 'M'],
    [{ description: 'D' }, 'D', 'D'],
    [{ message: 'M' }, 'M', 'M'],
    [{ summary: '  ' }, 'Down', undefined],
    [{}, 'Down', undefined],
  ])('with the annotations %j is titled %s', (annotations, title, description) => {
    const alert = one({ alertname: 'Down' }, annotations)
    expect([alert?.title, alert?.description]).toEqual([title, description])
  })

  test('carries no link that a browser would execute', () => {
    expect(one({}, { runbook_url: 'javascript:alert(1)' }, { generatorURL: 'data:text/html,x' })?.links).toEqual([])
  })

  test('leaves out what it does not know', () => {
    const alert = one({}, {}, { startsAt: '2026-01-05T10:30:00', endsAt: '0001-01-01T00:00:00Z', fingerprint: '' })
    for (const name of ['external_id', 'description', 'starts_at', 'ends_at']) expect(alert).not.toHaveProperty(name)
    expect(normalize(group([], { truncatedAlerts: 0 }))).toEqual({ alerts: [] })
  })

  test('is read as people mean what stands for nothing, for a number and for a boolean', () => {
    const [alert] = normalize(
      group([
        {
          status: 'firing',
          labels: { alertname: 'Odd', team: null, shard: 7, paged: true },
          annotations: null,
          startsAt: null,
          endsAt: null,
          generatorURL: null,
          fingerprint: 12,
        },
      ]),
    ).alerts
    expect(alert).toMatchObject({
      symptom: 'Odd',
      labels: { alertname: 'Odd', shard: '7', paged: 'true' },
      annotations: {},
      external_id: '12',
    })
    expect(alert?.labels).not.toHaveProperty('team')
    expect(alert).not.toHaveProperty('ends_at')
    expect(normalize(group([{ status: 'firing', labels: null, endsAt: 0 }])).alerts).toMatchObject([{ labels: {} }])
  })

  test('is refused with the place of what is wrong', () => {
    const error = refusal(
      group([
        { status: 'firing', labels: {} },
        { status: 1, labels: { a: [1] } },
      ]),
    )
    expect(error.code).toBe('validation_failed')
    expect(error.details.errors?.map((each) => each.pointer)).toEqual(['/alerts/1/status', '/alerts/1/labels/a'])
  })
})

describe('the generic shape', () => {
  const minimal = { source: 'cron', service: 'backup', symptom: 'Failed' }

  test('needs three members', () => {
    expect(normalize(minimal).alerts).toEqual([
      {
        ...minimal,
        status: 'firing',
        severity: 'medium',
        fingerprint: 'cron|backup|failed',
        title: 'Failed',
        labels: {},
        annotations: {},
        links: [],
        raw_digest: expect.stringMatching(/^sha256:/),
      },
    ])
  })

  test('takes links as addresses, or with a title', () => {
    const links = ['https://runbook.example', { title: 'Graph', url: 'https://graph.example' }]
    expect(normalize({ ...minimal, links }).alerts[0]?.links).toEqual([
      { title: 'Link', url: 'https://runbook.example' },
      { title: 'Graph', url: 'https://graph.example' },
    ])
    expect(refusal({ ...minimal, links: [7] }).details.errors?.[0]).toMatchObject({
      pointer: '/links/0',
      msg: 'takes an address, or {title, url}',
    })
  })

  test('takes all there is to say', () => {
    const [alert] = normalize({
      ...minimal,
      status: 'resolved',
      severity: 'P1',
      external_id: 42,
      title: 'Backup failed',
      description: 'Disk full',
      labels: { disk: '/dev/sda', attempts: 3, night: true },
      annotations: { owner: 'storage' },
      starts_at: '2026-01-05T10:30:00+01:00',
      ends_at: '2026-01-05T09:45:00Z',
      links: [{ url: 'https://backup.example.test' }, { title: 'Bad', url: 'javascript:alert(1)' }],
    }).alerts
    expect(alert).toMatchObject({
      status: 'resolved',
      severity: 'critical',
      external_id: '42',
      title: 'Backup failed',
      description: 'Disk full',
      labels: { disk: '/dev/sda', attempts: '3', night: 'true' },
      annotations: { owner: 'storage' },
      starts_at: '2026-01-05T09:30:00.000Z',
      ends_at: '2026-01-05T09:45:00.000Z',
      links: [{ title: 'Link', url: 'https://backup.example.test' }],
    })
  })

  test('falls back where a member is blank', () => {
    const [alert] = normalize({
      source: ' ',
      service: '',
      symptom: '',
      labels: { instance: 'db-1:5432', severity: 'fatal' },
      description: 'D',
    }).alerts
    expect(alert).toMatchObject({
      source: 'generic',
      service: 'db-1',
      symptom: 'unnamed',
      severity: 'critical',
      title: 'D',
    })
  })

  test('may be a list', () => {
    expect(normalize([minimal, { ...minimal, service: 'mail' }]).alerts.map((alert) => alert.service)).toEqual([
      'backup',
      'mail',
    ])
    expect(refusal([minimal, { ...minimal, status: 'maybe' }]).details.errors?.[0]?.pointer).toBe('/1/status')
  })

  test('can be asked for, and then needs its symptom only', () => {
    expect(normalize({ symptom: 'Failed' }, 'generic').alerts[0]).toMatchObject({
      source: 'generic',
      service: 'unknown',
    })
    expect(refusal({}, 'generic').details.errors?.[0]?.pointer).toBe('/symptom')
  })
})

describe('the shape of a payload', () => {
  test.each([
    [{}],
    [null],
    ['text'],
    [42],
    [{ source: 'x', service: 'y' }],
    [{ version: '3', alerts: [] }],
    [{ alerts: [] }],
    [[1]],
  ])('%j is none of the known ones, and the refusal names them', (body) => {
    const error = refusal(body)
    expect(error.code).toBe('unrecognised_alert')
    expect(error.message).toMatch(/alertmanager.*generic/)
    expect(error.details).toEqual({
      known: ALERT_SOURCES.map(({ name }) => name),
    })
  })

  test('is not guessed when a tool is named', () => {
    expect(refusal(group([]), 'sentry').message).toMatch(/^Alerts of sentry are not understood.*alertmanager.*generic/)
    expect(refusal({ source: 'a', service: 'b', symptom: 'c' }, 'alertmanager').code).toBe('validation_failed')
  })

  test('holds a thousand alerts at most', () => {
    const alerts = (count: number) => Array.from({ length: count }, () => ({ status: 'firing', labels: {} }))
    expect(normalize(group(alerts(1_000))).alerts).toHaveLength(1_000)
    expect(refusal(group(alerts(1_001)))).toMatchObject({ code: 'payload_too_large', details: { max_alerts: 1_000 } })
    const generic = Array.from({ length: 1_001 }, () => ({ source: 'a', service: 'b', symptom: 'c' }))
    expect(refusal(generic).code).toBe('payload_too_large')
  })
})
