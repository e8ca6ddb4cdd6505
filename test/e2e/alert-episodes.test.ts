import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { type AlertReply, awaiting, ended } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let demo: DemoService

beforeAll(async () => {
  demo = await startDemoService()
  const rule = `- name: withdraw-it
  on: alert
  match: { service: "ep-*" }
  run: sre/service-recovery
  on_resolved: withdraw
  inputs: { url: "${demo.url}" }
`
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    files: { 'rules/recovery.yaml': rule },
  })
})
afterAll(async () => {
  await service.stop()
  await demo.stop()
})
beforeEach(async () => void (await fetch(`${demo.url}/fault`, { method: 'POST' })))

async function post(body: unknown) {
  const { body: answer } = await service.call<AlertReply>('POST', '/triggers/alert', body)
  return answer.results[0]
}

/** Fires, and waits until the gate of its run is open. */
async function park(body: unknown): Promise<string> {
  const result = await post(body)
  expect(result?.outcome).toBe('started')
  const id = result?.run_id ?? ''
  await awaiting(service, id)
  return id
}

const withdrawn = { status: 'expired', status_reason: 'condition_cleared' }

const prometheus = (name: string, startsAt: string, endsAt?: string) => ({
  version: '4',
  groupKey: '{}:{}',
  alerts: [
    {
      status: endsAt === undefined ? 'firing' : 'resolved',
      labels: { alertname: 'ServiceUnhealthy', service: name },
      annotations: {},
      startsAt: `2026-01-01T${startsAt}:00Z`,
      endsAt: endsAt === undefined ? '0001-01-01T00:00:00Z' : `2026-01-01T${endsAt}:00Z`,
      fingerprint: name,
    },
  ],
})

const incident = (event_type: string, occurred_at: string, data: { title: string; service: string }) => ({
  event: {
    event_type: `incident.${event_type}`,
    resource_type: 'incident',
    occurred_at,
    data: {
      id: 'PGR0VU2',
      title: data.title,
      created_at: '2026-01-01T12:00:00Z',
      service: { summary: data.service },
    },
  },
})

const monitor = (title: string, date: string) => ({
  id: '6841205830115286433',
  title,
  last_updated: date,
  event_type: 'metric_alert_monitor',
  body: '',
  date,
  org: { id: '11023', name: 'example' },
})

describe('an end', () => {
  test('of an earlier episode does not close the gate of the one that fires now', async () => {
    const id = await park(prometheus('ep-late', '15:40'))
    expect(await post(prometheus('ep-late', '14:00', '14:20'))).toMatchObject({ outcome: 'suppressed', run_id: id })
    expect((await awaiting(service, id)).status).toBe('awaiting_approval')
    expect(await post(prometheus('ep-late', '15:40', '16:00'))).toMatchObject({ outcome: 'resolved', run_id: id })
    expect(await ended(service, id)).toMatchObject(withdrawn)
  })

  test('that arrives before its firing is remembered, and the next episode starts a run', async () => {
    expect(await post(prometheus('ep-early', '14:00', '14:20'))).toMatchObject({ outcome: 'unmatched' })
    expect(await post(prometheus('ep-early', '14:00'))).toMatchObject({ outcome: 'suppressed' })
    const id = await park(prometheus('ep-early', '15:40'))
    await service.call('POST', `/runs/${id}/cancel`, {})
  })

  test('of an incident that PagerDuty has renamed and moved closes its gate', async () => {
    const id = await park(
      incident('triggered', '2026-01-01T12:00:00Z', { title: 'Queue is long', service: 'ep-paged' }),
    )
    const renamed = { title: 'Looms: queue is long', service: 'ep-looms' }
    expect(await post(incident('resolved', '2026-01-01T12:30:00Z', renamed))).toMatchObject({
      outcome: 'resolved',
      run_id: id,
    })
    expect(await ended(service, id)).toMatchObject(withdrawn)
  })

  test('in a title of Datadog that begins with the priority is an end', async () => {
    const recovered = monitor('[P3] [Recovered on {service:ep-dog}] queue', '1767268860000')
    expect(await post(recovered)).toMatchObject({ outcome: 'unmatched', fingerprint: 'datadog|ep-dog|queue' })
    const id = await park(monitor('[P3] [Triggered on {service:ep-dog}] queue', '1767268920000'))
    expect(await post({ ...recovered, date: '1767268980000' })).toMatchObject({ outcome: 'resolved', run_id: id })
    expect(await ended(service, id)).toMatchObject(withdrawn)
  })
})
