import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { type AlertReply, postAlert, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const ALERTS = 2_000
const FINGERPRINTS = 20
const CONNECTIONS = 32

let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

test('2,000 alerts in 20 fingerprints from 32 connections: 20 runs, exact counts, no 5xx', async () => {
  const statuses: number[] = []
  const results: AlertReply['results'] = []
  let next = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < ALERTS) {
        const reply = await postAlert(service, demo, { name: `storm-${next++ % FINGERPRINTS}` })
        statuses.push(reply.status)
        results.push(...reply.body.results)
      }
    }),
  )
  expect(new Set(statuses)).toEqual(new Set([202]))
  expect(results).toHaveLength(ALERTS)
  expect(results.filter((result) => result.outcome === 'started')).toHaveLength(FINGERPRINTS)

  const ids = new Set(results.map((result) => result.run_id))
  expect(ids.size).toBe(FINGERPRINTS)
  const runs = await service.until<RunBody[]>(
    '/runs?status=awaiting_approval&limit=200',
    (list) => list.length === FINGERPRINTS,
  )
  expect(runs.reduce((sum, run) => sum + run.attached_count, 0)).toBe(ALERTS - FINGERPRINTS)
})
