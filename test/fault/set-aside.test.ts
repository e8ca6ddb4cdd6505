import type { ChildProcess } from 'node:child_process'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { exitSignal } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { postAlert } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const WITHIN_MS = PATIENCE.timeout
/** An API dies as soon as it begins to work on an alert that has this in it. */
const DEADLY = { SVC_KILL_POINT: 'inbox_begun@deadly-service' }

interface Item {
  id: string
  status: string
  attempts: number
  error?: { code: string; message: string }
}
interface Report {
  status: string
  set_aside: { kind: string; subject: string; reason: string }[]
}

let demo: DemoService
let service: TestService | undefined

beforeAll(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterAll(() => demo.stop())
afterEach(async () => {
  await service?.stop()
  service = undefined
})

async function startWithInbox(): Promise<TestService> {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { OBS_TRIGGER_DURABLE: '1', SVC_SECRET_KEY: 'a master key of this test, long enough' },
    api: false,
  })
  return service
}

const killed = async (api: ChildProcess) => expect(await exitSignal(api)).toBe('SIGKILL')
const fire = (to: TestService, name: string) => postAlert(to, demo, { name })
const items = (to: TestService) => to.call<Item[]>('GET', '/triggers/inbox').then(({ body }) => body)
const health = (to: TestService) => to.call<Report>('GET', '/healthz?verbose').then(({ body }) => body)

test('a delivery that ends two processes is set aside on record, what is behind it is processed, and it can be replayed', async () => {
  const to = await startWithInbox()
  const first = await to.startApi(DEADLY)
  const dead = killed(first)
  await expect(fire(to, 'deadly-service')).rejects.toThrow()
  await dead
  await killed(await to.startApi(DEADLY))

  const third = await to.startApi(DEADLY)
  await fire(to, 'innocent')
  const found = await to.until<Item[]>(
    '/triggers/inbox',
    (list) => list.length === 2 && list.every(({ status }) => status !== 'received'),
    WITHIN_MS,
  )
  expect(found).toMatchObject([
    { status: 'started' },
    { status: 'failed', attempts: 2, error: { code: 'process_ended', message: expect.stringContaining('replay') } },
  ])
  const { id } = found[1] ?? expect.fail('no delivery')
  // two processes have just died, so that a part may not have answered in time
  const report = await to.until<Report>('/healthz?verbose', ({ status }) => status !== 'unavailable', WITHIN_MS)
  expect(report).toMatchObject({ status: 'degraded', set_aside: [{ kind: 'delivery', subject: id }] })
  await to.until<unknown[]>(
    '/console/api/audit?category=trigger',
    (records) =>
      records.some((record) => /inbox\.set_aside/.test(JSON.stringify(record)) && JSON.stringify(record).includes(id)),
    WITHIN_MS,
  )

  // mended: nothing dies of it any more
  third.kill('SIGTERM')
  await exitSignal(third)
  await to.startApi()
  const replayed = await to.call<object[]>('POST', '/triggers/inbox/replay', { mode: 'if_no_run', ids: [id] })
  expect(replayed.body).toMatchObject([{ id, outcome: 'started' }])
  expect((await items(to)).find((item) => item.id === id)).toMatchObject({ status: 'replayed' })
  expect((await health(to)).set_aside).toEqual([])
})
