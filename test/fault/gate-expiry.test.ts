import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, eventsOf, parkRun } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_APPROVAL_TTL_HOURS: String(3 / 3_600) },
  })
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

test('a gate that nobody answers expires once, on the durable timer, and says so in the audit', async () => {
  const id = await parkRun(service, demo)
  expect(await ended(service, id)).toMatchObject({ status: 'expired', status_reason: 'ttl' })
  const events = await eventsOf(service, id)
  expect(events.filter((event) => event.type === 'gate.expired')).toHaveLength(1)
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })).status).toBe(409)
  expect(await auditCount(id, 'expiry')).toBe(1)
})

test('a run whose workflow was terminated from outside has failed within seconds, and never expires', async () => {
  const id = await parkRun(service, demo)
  await service.temporal.workflow.getHandle(id).terminate('somebody pulled the plug')
  expect(await ended(service, id, PATIENCE.timeout)).toMatchObject({ status: 'failed', error: { code: 'engine_lost' } })
  expect(await auditCount(id, 'expiry')).toBe(0)
})

async function auditCount(id: string, category: string): Promise<number> {
  const text = await readFile(join(service.home, 'audit.jsonl'), 'utf8')
  return text.split('\n').filter((line) => line.includes(id) && line.includes(`"category":"${category}"`)).length
}
