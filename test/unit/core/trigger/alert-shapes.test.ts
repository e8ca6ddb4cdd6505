import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { ALERT_SOURCES } from '#core/trigger/alert-sources.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'
import {
  CLOUDWATCH_ALARM,
  DATADOG_DEFAULT,
  DATADOG_TEMPLATE,
  GRAFANA,
  PAGERDUTY,
  PAGERDUTY_PING,
  SNS_CONFIRMATION,
  sns,
} from './fixtures/payloads.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const normalize = (body: unknown, source?: string) => normalizeAlerts(body, source, sha256)
const one = (body: unknown) => normalize(body).alerts[0]

function refusal(body: unknown, source?: string): DomainError {
  try {
    normalize(body, source)
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const incident = (changes: object, data: object = {}) => ({
  event: { ...PAGERDUTY.event, ...changes, data: { ...PAGERDUTY.event.data, ...data } },
})

describe.each(ALERT_SOURCES.map((source) => [source.name, source] as const))('the source %s', (name, source) => {
  test('recognises its example and reads an alert from it', () => {
    expect(ALERT_SOURCES.filter(({ fits }) => fits(source.example))).toContain(source)
    expect(normalize(source.example)).toEqual(normalize(source.example, name))
    expect(one(source.example)).toMatchObject({ status: 'firing', symptom: 'HighErrorRate' })
  })

  test('stands among what is known when nothing fits', () => {
    expect(refusal({}).message).toContain(`${name} (${source.sign})`)
    expect(refusal({}).details).toMatchObject({ known: expect.arrayContaining([name]) })
  })
})

describe('a Grafana group', () => {
  test('becomes one alert per member, firing and resolved, with what its queries answered', () => {
    const { alerts, suppressed } = normalize(GRAFANA)
    expect(suppressed).toBeUndefined()
    expect(alerts[0]).toMatchObject({
      source: 'grafana',
      service: 'unknown',
      symptom: 'High memory usage',
      status: 'firing',
      fingerprint: 'grafana|unknown|high memory usage',
      external_id: 'c6eadffa33fcdf37',
      title: 'This alert was triggered for zone us-1',
      annotations: { 'values.B': '44.23943737541908', 'values.C': '1' },
      starts_at: '2021-10-12T07:51:03.157Z',
    })
    expect(alerts[0]?.links.map((link) => link.title)).toEqual(['Expression', 'Runbook', 'Grafana', 'Silence'])
    expect(alerts[1]).toMatchObject({ status: 'resolved', ends_at: '2021-10-12T08:01:03.157Z' })
    expect(Object.keys(alerts[1]?.annotations ?? {})).not.toContain('values.B')
  })

  test('does not let an answer of a query overwrite an annotation', () => {
    const [first] = GRAFANA.alerts
    const alert = { ...first, annotations: { 'values.B': 'written by a person' } }
    expect(one({ ...GRAFANA, alerts: [alert] })?.annotations['values.B']).toBe('written by a person')
  })
})

describe('a Datadog monitor', () => {
  test('is read from its title when there is no template', () => {
    expect(one(DATADOG_DEFAULT)).toMatchObject({
      source: 'datadog',
      service: 'checkout',
      symptom: 'Host is Down',
      status: 'firing',
      severity: 'high',
      fingerprint: 'datadog|checkout|host is down',
      labels: { host: 'ip-012345', service: 'checkout' },
      starts_at: '2014-07-29T19:37:52.000Z',
    })
    const recovered = one({ ...DATADOG_DEFAULT, title: DATADOG_DEFAULT.title.replace('Triggered', 'Recovered') })
    expect(recovered).toMatchObject({ status: 'resolved', fingerprint: 'datadog|checkout|host is down' })
  })

  test('is read from our template', () => {
    expect(one(DATADOG_TEMPLATE)).toMatchObject({
      service: 'myService',
      symptom: 'Host is Down',
      status: 'firing',
      severity: 'critical',
      external_id: '1739471903',
      labels: { monitor: '', service: 'myService', role: 'computing-node' },
      links: [{ title: 'Datadog', url: 'https://app.datadoghq.com/monitors/1234' }],
    })
  })

  test.each([
    ['Recovered', 'resolved'],
    ['Triggered', 'firing'],
    ['Re-Triggered', 'firing'],
    ['No Data', 'firing'],
    ['Warn', 'firing'],
    ['Renotify', 'firing'],
  ])('whose transition is %s is %s, and stays the same fingerprint', (transition, status) => {
    const alert = one({ ...DATADOG_TEMPLATE, transition, title: `[${transition}] Host is Down` })
    expect([alert?.status, alert?.fingerprint]).toEqual([status, 'datadog|myservice|host is down'])
  })

  test('leaves out what Datadog has not filled in', () => {
    const alert = one({
      ...DATADOG_TEMPLATE,
      priority: '$ALERT_PRIORITY',
      cycle_key: '$ALERT_CYCLE_KEY',
      aggreg_key: '$AGGREG_KEY',
      tags: '$TAGS[service]',
      link: '$LINK',
      body: '$EVENT_MSG',
    })
    expect(alert).toMatchObject({ service: 'unknown', severity: 'medium', external_id: '1234', links: [] })
    expect(alert).not.toHaveProperty('description')
  })

  test('keeps a name that is all in brackets', () => {
    expect(one({ ...DATADOG_TEMPLATE, title: '[Triggered] [Memory Alert]' })?.symptom).toBe('Memory Alert')
  })
})

describe('a PagerDuty event', () => {
  test.each(['incident.triggered', 'incident.reopened', 'incident.escalated'])('%s fires', (event_type) => {
    expect(one(incident({ event_type }))).toMatchObject({
      source: 'pagerduty',
      service: 'API Service',
      symptom: 'A little bump in the road',
      status: 'firing',
      severity: 'critical',
      fingerprint: 'pagerduty|api service|a little bump in the road',
      external_id: 'PGR0VU2',
      starts_at: '2020-04-09T15:16:27.000Z',
      links: [{ title: 'Incident', url: 'https://acme.pagerduty.com/incidents/PGR0VU2' }],
    })
  })

  test('incident.resolved resolves', () => {
    expect(one(incident({ event_type: 'incident.resolved' }))).toMatchObject({
      status: 'resolved',
      external_id: 'PGR0VU2',
      ends_at: '2020-10-02T18:45:22.169Z',
    })
  })

  test('has the urgency where it has no priority', () => {
    expect(one(incident({}, { priority: null, urgency: 'low' }))?.severity).toBe('low')
  })

  test.each([
    [incident({ event_type: 'incident.acknowledged' }), 'pagerduty|api service|a little bump in the road'],
    [incident({ event_type: 'service.updated' }), 'pagerduty|api service|a little bump in the road'],
    [PAGERDUTY_PING, 'pagerduty|unknown|pagey.ping'],
  ])('of another kind is suppressed, and says why', (body, fingerprint) => {
    expect(normalize(body)).toEqual({
      alerts: [],
      suppressed: [{ suppressed: true, fingerprint, detail: expect.stringContaining('neither opens nor ends') }],
    })
  })
})

describe('a CloudWatch alarm', () => {
  test.each([
    ['through SNS', sns(CLOUDWATCH_ALARM)],
    ['as it is, with raw delivery', CLOUDWATCH_ALARM],
  ])('is read %s', (_way, body) => {
    expect(one(body)).toMatchObject({
      source: 'cloudwatch',
      service: 'AWS/EC2/i-12345678901234567',
      symptom: 'ServerCpuTooHigh',
      status: 'firing',
      severity: 'medium',
      fingerprint: 'cloudwatch|aws/ec2/i-12345678901234567|servercputoohigh',
      external_id: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:ServerCpuTooHigh',
      labels: { InstanceId: 'i-12345678901234567', namespace: 'AWS/EC2', metric: 'CPUUtilization' },
      starts_at: '2019-10-02T17:04:40.985Z',
    })
  })

  test('that is OK again is resolved, one without enough data suppressed', () => {
    const ok = one(sns({ ...CLOUDWATCH_ALARM, NewStateValue: 'OK' }))
    expect(ok).toMatchObject({ status: 'resolved', ends_at: '2019-10-02T17:04:40.985Z' })
    expect(normalize(sns({ ...CLOUDWATCH_ALARM, NewStateValue: 'INSUFFICIENT_DATA' }))).toEqual({
      alerts: [],
      suppressed: [{ suppressed: true, fingerprint: ok?.fingerprint, detail: expect.any(String) }],
    })
  })

  test.each([
    [{ Trigger: undefined }, 'cloudwatch'],
    [{ Trigger: null }, 'cloudwatch'],
    [{ Trigger: { Namespace: 'Custom', Dimensions: [] } }, 'Custom'],
    [
      {
        Trigger: {
          Metrics: [
            { Expression: 'm1' },
            { MetricStat: { Metric: { Namespace: 'AWS/SQS', Dimensions: [{ name: 'Q', value: 'jobs' }] } } },
          ],
        },
      },
      'AWS/SQS/jobs',
    ],
  ])('with %j is about %s', (changes, service) => {
    expect(one(sns({ ...CLOUDWATCH_ALARM, ...changes }))?.service).toBe(service)
  })

  test('never confirms a subscription by itself, and does not repeat its token', () => {
    const { alerts, suppressed } = normalize(SNS_CONFIRMATION)
    expect(alerts).toEqual([])
    expect(suppressed).toEqual([
      {
        suppressed: true,
        fingerprint: 'cloudwatch|mytopic|subscriptionconfirmation',
        detail: expect.stringContaining('waits for a person'),
      },
    ])
    expect(JSON.stringify(suppressed)).not.toContain('2336412f37')
  })

  test('is what SNS must carry', () => {
    for (const message of ['plain text', '{"a":1}', '[]', 'null'])
      expect(refusal(sns(message)).code).toBe('unrecognised_alert')
    const faulty = refusal(sns({ ...CLOUDWATCH_ALARM, NewStateValue: 'alarm' }))
    expect(faulty.details.errors?.map((each) => each.pointer)).toEqual(['/Message/NewStateValue'])
  })

  test.each(['\u0000', '\ud800'])('cannot smuggle text in that no database holds (%j)', (text) => {
    expect(refusal(sns({ ...CLOUDWATCH_ALARM, AlarmName: `a${text}` })).code).toBe('validation_failed')
  })
})

describe('hostile sizes', () => {
  test('of a group are refused before its members are read', () => {
    const alerts = Array.from({ length: 1_001 }, () => ({ status: 'nonsense' }))
    expect(refusal({ ...GRAFANA, alerts }).code).toBe('payload_too_large')
  })

  test('of a title take time in proportion', () => {
    const title = '['.repeat(500_000) + '[] '.repeat(100_000)
    expect(one({ ...DATADOG_TEMPLATE, title })?.fingerprint.length).toBeLessThan(512)
    expect(one(incident({}, { title: 'x'.repeat(1_000_000) }))?.fingerprint.length).toBeLessThan(512)
    expect(refusal(sns(`${'['.repeat(200_000)}`)).code).toBe('unrecognised_alert')
  })
})

/** What a title may trip over: brackets, the separators of tags and fingerprints, letters whose case is special. */
const text = fc.string({ unit: fc.constantFrom(...'aZ[]{}|%:, 1-', 'Ä', 'ẞ', 'İ', 'e\u0301', '😀', 'P1', 'Recovered') })

describe('whatever stands in a payload', () => {
  test('an alert that fires and the one that resolves it share their fingerprint and their member', () => {
    fc.assert(
      fc.property(text, fc.string(), (name, service) => {
        const pairs = [
          [
            incident({}, { title: name, service: { summary: service } }),
            incident({ event_type: 'incident.resolved' }, { title: name, service: { summary: service } }),
          ],
          [
            { ...DATADOG_TEMPLATE, title: `[Triggered] ${name}` },
            { ...DATADOG_TEMPLATE, title: `[Recovered] ${name}`, transition: 'Recovered' },
          ],
        ]
        for (const [firing, resolved] of pairs) {
          const [a, b] = [one(firing), one(resolved)]
          expect([a?.status, b?.status]).toEqual(['firing', 'resolved'])
          expect([b?.fingerprint, b?.external_id]).toEqual([a?.fingerprint, a?.external_id])
        }
      }),
    )
  })

  test('it is normalized or refused with a reason, whichever tool is named', () => {
    const sources = fc.constantFrom(undefined, ...ALERT_SOURCES.map(({ name }) => name))
    const near = fc.constantFrom<object>(
      GRAFANA,
      DATADOG_DEFAULT,
      DATADOG_TEMPLATE,
      PAGERDUTY,
      CLOUDWATCH_ALARM,
      SNS_CONFIRMATION,
    )
    const body = fc.oneof(
      fc.jsonValue(),
      fc
        .tuple(
          near,
          fc.dictionary(
            fc.constantFrom('alerts', 'event', 'Message', 'Type', 'title', 'tags', 'Trigger', 'orgId'),
            fc.jsonValue(),
          ),
        )
        .map(([base, changes]) => ({ ...base, ...changes })),
    )
    fc.assert(
      fc.property(body, sources, (payload, source) => {
        try {
          for (const alert of normalize(payload, source).alerts)
            expect(alert.fingerprint.length).toBeLessThanOrEqual(512)
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError)
        }
      }),
    )
  })
})
