import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { loadConfig } from '#platform/config.ts'
import type { Bus } from '#services/bus/bus.ts'
import { createDb, type Db } from '#store/db.ts'
import { testLog } from '#test/support/embedded.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, parkRun } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { createBus } from '#workers/create-bus.ts'

let service: TestService
let demo: DemoService
const opened: { bus: Bus; db: Db }[] = []

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_APPROVAL_TTL_HOURS: String(6 / 3_600) },
  })
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterAll(async () => {
  for (const { bus, db } of opened) {
    await bus.close()
    await db.end({ timeout: 1 })
  }
  await demo.stop()
  await service.stop()
})

/** Hears, in a process without API and worker, what ends: topic and run. */
async function listen(kind: 'in_process' | 'postgres'): Promise<string[]> {
  const databaseUrl = service.database.url
  const db = createDb(databaseUrl, { max: 3, name: 'test-bus' })
  const bus = await createBus({ config: { ...loadConfig({ SVC_BUS: kind }), databaseUrl }, db, log: testLog })
  opened.push({ bus, db })
  const received: string[] = []
  await bus.subscribe({
    name: 'endings',
    patterns: ['run.*', 'gate.resolved'],
    workspace_id: '*',
    from: 'now',
    handler: async ({ topic, event }) => void received.push(`${topic} ${event.subject}`),
  }).ready
  return received
}

test('runs that are admitted, approved, cancelled and expired are told of once on either bus', async () => {
  const received = [await listen('in_process'), await listen('postgres')]
  const expiring = await parkRun(service, demo, 'Expiring')
  const cancelled = await parkRun(service, demo, 'Cancelled')
  expect((await service.call('POST', `/runs/${cancelled}/cancel`, { reason: 'not needed' })).status).toBeLessThan(300)
  const approved = await parkRun(service, demo)
  expect((await service.call('POST', `/runs/${approved}/resume`, { decision: 'approve' })).status).toBeLessThan(300)
  for (const [id, status] of [
    [approved, 'succeeded'],
    [cancelled, 'cancelled'],
    [expiring, 'expired'],
  ] as const)
    expect(await ended(service, id)).toMatchObject({ status })
  const life = (id: string, end: string) =>
    ['run.queued', 'run.started', 'run.awaiting_approval', 'gate.resolved', end].map((topic) => `${topic} ${id}`)
  for (const each of received) {
    for (const [id, end] of [
      [approved, 'run.succeeded'],
      [cancelled, 'run.cancelled'],
      [expiring, 'run.expired'],
    ] as const)
      await expect.poll(() => each.filter((line) => line.endsWith(id)), PATIENCE).toEqual(life(id, end))
  }
})
