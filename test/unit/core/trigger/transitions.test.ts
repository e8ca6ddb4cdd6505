import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { alertIdentityOf } from '#core/trigger/alert-identity.ts'
import type { AlertSource } from '#core/trigger/alert-source.ts'
import { ALERT_SOURCES } from '#core/trigger/alert-sources.ts'
import { CLOUDWATCH_ALARM, sns } from './sources/cloudwatch-payloads.ts'
import { DATADOG_DEFAULT, DATADOG_TEMPLATE } from './sources/datadog-payloads.ts'
import { GRAFANA } from './sources/grafana-payloads.ts'
import { normalize } from './sources/normalized.ts'
import { PAGERDUTY } from './sources/pagerduty-payloads.ts'

const [member] = GRAFANA.alerts
const ALERTMANAGER = { version: '4', groupKey: '{}' }

/** A payload as each tool publishes it, with another word for the transition. */
const SAYING = {
  alertmanager: (status) => ({ ...ALERTMANAGER, alerts: [{ ...member, status }] }),
  grafana: (status) => ({ ...GRAFANA, alerts: [{ ...member, status }] }),
  datadog: (transition) => ({ ...DATADOG_TEMPLATE, transition, title: 'Host is Down' }),
  pagerduty: (event_type) => ({ event: { ...PAGERDUTY.event, event_type } }),
  cloudwatch: (word) => sns({ ...CLOUDWATCH_ALARM, NewStateValue: word.toUpperCase() }),
  generic: (status) => ({ source: 'cron', service: 'backup', symptom: 'Failed', status }),
} satisfies Record<string, (word: string) => unknown>

/** Of a tool without such a payload it is the example, where that names a transition. */
function saying({ name, example, transitions }: AlertSource, word: string): unknown {
  const published: Partial<Record<string, (word: string) => unknown>> = SAYING
  const isWord = (value: unknown) => typeof value === 'string' && Object.hasOwn(transitions, value.toLowerCase())
  return (
    published[name]?.(word) ??
    JSON.parse(JSON.stringify(example, (_key, value: unknown) => (isWord(value) ? word : value)))
  )
}

const CASES = ALERT_SOURCES.flatMap((source) =>
  Object.entries(source.transitions).map(([word, becomes]) => [source.name, word, becomes, source] as const),
)

/** `firing`, `resolved`, `no_change` or `unknown` */
function readAs(body: unknown): string | undefined {
  const { alerts, suppressed } = normalize(body)
  const [ignored] = suppressed ?? []
  return alerts[0]?.status ?? (ignored?.unknown === undefined ? 'no_change' : 'unknown')
}

describe('a transition', () => {
  test.each(CASES)('of %s, %s, means %s', (_tool, word, becomes, source) => {
    expect(readAs(saying(source, word))).toBe(becomes)
  })

  test.each(ALERT_SOURCES.filter(({ name }) => name !== 'generic'))(
    'that $name does not publish starts and ends nothing, and is named',
    (source) => {
      const { alerts, suppressed } = normalize(saying(source, 'snoozed'))
      expect(alerts).toEqual([])
      expect(suppressed).toMatchObject([
        {
          detail: expect.stringMatching(/snoozed.*nothing was started or ended/i),
          unknown: { source: source.name, word: 'snoozed' },
        },
      ])
    },
  )

  test.each(CASES)('stands in the docs: %s, %s, %s', (tool, word, becomes) => {
    const text = readFileSync('docs/alerts.md', 'utf8')
    const row = text
      .split('\n')
      .find(
        (line) =>
          line.startsWith('|') &&
          line.includes(`| ${becomes.replace('_', ' ')} |`) &&
          line.toLowerCase().startsWith(`| ${tool}`),
      )
    expect(row?.toLowerCase()).toContain(`\`${word}\``)
  })
})

describe('the title of a Datadog monitor', () => {
  const titled = (title: string) => normalize({ ...DATADOG_DEFAULT, title })

  test.each([
    ['[P3] [Recovered on {service:looms}] queue', 'resolved', 'looms', 'queue'],
    ['[Recovered on {service:looms}] [P3] queue', 'resolved', 'looms', 'queue'],
    ['[P3][Recovered on {service:looms}]queue', 'resolved', 'looms', 'queue'],
    ['[P2] [Recovered] queue', 'resolved', 'unknown', 'queue'],
    ['[P2] [Re-Triggered on {host:a[1],service:looms}] queue', 'firing', 'looms', 'queue'],
    ['[P2] [Warn on {service:looms}] queue', 'firing', 'looms', 'queue'],
    ['[P2] [No data on {service:looms}] queue', 'firing', 'looms', 'queue'],
    ['[P4] [Re-Triggered] [Synthetics] API Test on vmstack/api', 'firing', 'unknown', 'API Test on vmstack/api'],
    ['[Triggered on {service:looms}] [TEST] queue', 'firing', 'looms', 'queue'],
  ])('%s is %s, of %s, about %s', (title, status, service, symptom) => {
    expect(titled(title).alerts).toMatchObject([{ status, service, symptom }])
  })

  test.each(['[TEST] [P1] [Triggered on {service:looms}] queue', '[TEST] [Recovered] queue', '[TEST] queue'])(
    'of a test notification, %s, starts and ends nothing',
    (title) => {
      expect(titled(title)).toMatchObject({ alerts: [], suppressed: [{ detail: expect.stringContaining('test') }] })
      expect(titled(title).suppressed?.[0]).not.toHaveProperty('unknown')
    },
  )

  test.each(['queue', '[P1] queue', '[Muted on {service:looms}] queue'])('%s has no known transition', (title) => {
    expect(titled(title)).toMatchObject({ alerts: [], suppressed: [{ unknown: { source: 'datadog' } }] })
  })
})

describe('the episode of an alert', () => {
  const of = (body: unknown) =>
    normalize(body).alerts.map((alert) => alertIdentityOf(alert, (text) => `digest of ${text}`))[0]

  test.each([
    [
      SAYING.alertmanager('firing'),
      {
        member: 'c6eadffa33fcdf37',
        scope: 'alertmanager|unknown|high memory usage',
        at: '2021-10-12T07:51:03.157Z',
      },
    ],
    [SAYING.pagerduty('incident.escalated'), { member: 'PGR0VU2', scope: 'pagerduty', at: '2020-10-02T18:45:22.169Z' }],
    [SAYING.pagerduty('incident.resolved'), { member: 'PGR0VU2', scope: 'pagerduty', at: '2020-10-02T18:45:22.169Z' }],
    [
      SAYING.cloudwatch('ok'),
      {
        member: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:ServerCpuTooHigh',
        scope: 'cloudwatch',
        at: '2019-10-02T17:04:40.985Z',
      },
    ],
    [SAYING.datadog('Recovered'), { member: '1739471903', scope: 'datadog', at: undefined }],
    // without an id of its own an alert is known within its fingerprint alone
    [
      DATADOG_DEFAULT,
      {
        member: expect.stringContaining('digest of'),
        scope: 'datadog|checkout|host is down',
        at: '2014-07-29T19:37:52.000Z',
      },
    ],
  ])("%# is its sender's own id, and the time of which it speaks", (body, episode) => {
    expect(of(body)).toMatchObject(episode)
  })
})
