import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileTitle } from '#test/support/hostile-title.ts'
import { firedAndResolved, normalize, one } from './normalized.ts'
import { PAGERDUTY, PAGERDUTY_PING } from './pagerduty-payloads.ts'

const incident = (changes: object, data: object = {}) => ({
  event: { ...PAGERDUTY.event, ...changes, data: { ...PAGERDUTY.event.data, ...data } },
})

describe('a PagerDuty event', () => {
  test.each([
    ['incident.triggered', '2020-04-09T15:16:27.000Z'],
    ['incident.escalated', '2020-04-09T15:16:27.000Z'],
    // it keeps the time at which the incident was created, which is before its end
    ['incident.reopened', '2020-10-02T18:45:22.169Z'],
  ])('%s fires since %s', (event_type, starts_at) => {
    expect(one(incident({ event_type }))).toMatchObject({
      source: 'pagerduty',
      service: 'API Service',
      symptom: 'A little bump in the road',
      status: 'firing',
      severity: 'critical',
      fingerprint: 'pagerduty|api service|a little bump in the road',
      external_id: 'PGR0VU2',
      starts_at,
      as_of: '2020-10-02T18:45:22.169Z',
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

  test('with a title of any size takes time in proportion', () => {
    expect(one(incident({}, { title: 'x'.repeat(1_000_000) }))?.fingerprint.length).toBeLessThan(512)
  })

  test('and the one that ends it share their fingerprint and their member, no matter what they are called', () => {
    fc.assert(
      fc.property(hostileTitle, fc.string(), (name, service) => {
        const data = { title: name, service: { summary: service } }
        const [fired, ended] = firedAndResolved(incident({}, data), incident({ event_type: 'incident.resolved' }, data))
        expect(fired).toMatchObject({ status: 'firing', fingerprint: expect.any(String) })
        expect(ended).toEqual({ ...fired, status: 'resolved' })
      }),
    )
  })
})
