import type { ChildProcess } from 'node:child_process'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { proveRunRecord } from '#test/support/crash-record.ts'
import { killHard, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'
import { slowness } from '#test/support/slowness.ts'

/** A killed worker is noticed by its missing heartbeats (4 s), and its run is at work again within this time. */
const RECOVERY_MS = 10_000
/** `temporal.api.enums.v1.EventType` */
const ACTIVITY_SCHEDULED = 10

let service: TestService
let worker: ChildProcess
let target: Canary
/** paths that are never answered, each once */
let hangs: string[]
/** somebody has come to a path that is not answered */
let arrived: Promise<void>
let most: number

beforeAll(async () => {
  service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_LANE_BACKGROUND: '1' },
  })
  worker = await service.startWorker()
})
afterAll(() => service.stop())

beforeEach(async () => {
  hangs = []
  most = 0
  let now = 0
  let arrive: () => void
  arrived = new Promise((resolve) => (arrive = resolve))
  target = await startCanary((request, response) => {
    now += 1
    most = Math.max(most, now)
    response.once('close', () => (now -= 1))
    const at = hangs.indexOf(request.url ?? '')
    if (at < 0) return setTimeout(() => response.end('{}'), 20)
    hangs.splice(at, 1)
    arrive()
  })
})
afterEach(() => target.stop())

const start = () => startCrashRun(service, 'short', { url: target.url })
const paths = () => target.requests.map(({ url }) => url)

/** How many executions of a run went through the lane. */
async function handedOver(id: string): Promise<number> {
  const { events } = await service.temporal.workflow.getHandle(id).fetchHistory()
  return (events ?? []).filter(({ eventType }) => eventType === ACTIVITY_SCHEDULED).length
}

test('a run of short steps is one execution beside one workflow task', async () => {
  const id = await start()
  expect((await ended(service, id)).status).toBe('succeeded')
  await service.temporal.workflow.getHandle(id).result()
  expect((await service.temporal.workflow.getHandle(id).describe()).historyLength).toBe(6)
  expect(paths()).toEqual(['/one', '/two'])
})

test('while its slots are taken a lane lets no more executions act, and lets those wait in its line', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, start))
  for (const id of ids) expect((await ended(service, id)).status).toBe('succeeded')
  expect(most).toBe(1)
  const through = await Promise.all(ids.map(handedOver))
  expect(Math.max(...through)).toBe(1)
})

test('a step that is too slow ends with its own timeout, and is repeated in the lane', async () => {
  hangs = ['/one']
  const id = await start()
  expect((await ended(service, id)).status).toBe('succeeded')
  expect(paths()).toEqual(['/one', '/one', '/two'])
  expect(new Set(target.requests.slice(0, 2).map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(await handedOver(id)).toBe(1)
})

test('a cancellation that comes in the middle is answered, and nothing begins after it', async () => {
  hangs = ['/one']
  const id = await start()
  await arrived
  expect((await service.call('POST', `/runs/${id}/cancel`, {})).status).toBe(202)
  expect((await ended(service, id, 5_000)).status).toBe('cancelled')
  expect(paths()).not.toContain('/two')
})

test('what a killed worker was doing is done again from the record, and its attempt is charged', async () => {
  hangs = ['/one']
  const id = await start()
  await arrived
  await killHard(worker)
  worker = await service.startWorker()
  const run = await ended(service, id, PATIENCE.timeout)
  expect(run).toMatchObject({
    status: 'succeeded',
    total_usd: 0.06,
    progress: { steps: [{ attempt: 2 }, { attempt: 1 }] },
  })
  expect(paths()).toEqual(['/one', '/one', '/two'])
  await proveRunRecord(service.database.db, id)
})

test('what a killed worker was doing in its lane is at work again within seconds', async () => {
  hangs = ['/restart']
  const id = await startCrashRun(service, 'post', { url: target.url })
  await arrived
  await killHard(worker)
  const killed = performance.now()
  worker = await service.startWorker()
  expect(await poll(() => target.requests.length > 1, PATIENCE.timeout, 20)).toBe(true)
  expect(performance.now() - killed).toBeLessThan(RECOVERY_MS * slowness())
  expect((await ended(service, id)).status).toBe('succeeded')
  expect(paths()).toEqual(['/restart', '/restart', '/health'])
})
