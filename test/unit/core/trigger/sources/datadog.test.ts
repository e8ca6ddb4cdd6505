import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileTitle } from '#test/support/hostile-title.ts'
import { DATADOG_DEFAULT, DATADOG_TEMPLATE } from './datadog-payloads.ts'
import { firedAndResolved, one } from './normalized.ts'

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
    expect(alert).toMatchObject({
      service: 'unknown',
      severity: 'medium',
      external_id: '1234{host:ip-012345}',
      links: [],
    })
    expect(alert).not.toHaveProperty('description')
  })

  test('keeps a name that is all in brackets', () => {
    expect(one({ ...DATADOG_TEMPLATE, title: '[Triggered] [Memory Alert]' })?.symptom).toBe('Memory Alert')
  })

  test('with a title of any size takes time in proportion', () => {
    const title = '['.repeat(500_000) + '[] '.repeat(100_000)
    expect(one({ ...DATADOG_TEMPLATE, title })?.fingerprint.length).toBeLessThan(512)
  })

  test('and the one that ends it share their fingerprint and their member, no matter what they are called', () => {
    fc.assert(
      fc.property(hostileTitle, (name) => {
        const titled = (transition: string) => ({ ...DATADOG_TEMPLATE, transition, title: `[${transition}] ${name}` })
        const [fired, ended] = firedAndResolved(titled('Triggered'), titled('Recovered'))
        expect(fired).toMatchObject({ status: 'firing', fingerprint: expect.any(String) })
        expect(ended).toEqual({ ...fired, status: 'resolved' })
      }),
    )
  })
})
