import { describe, expect, test } from 'vitest'
import { GRAFANA } from './grafana-payloads.ts'
import { normalize, one, refusal } from './normalized.ts'

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

  test('of too many members is refused before they are read', () => {
    const alerts = Array.from({ length: 1_001 }, () => ({ status: 'nonsense' }))
    expect(refusal({ ...GRAFANA, alerts }).code).toBe('payload_too_large')
  })
})
