import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { exitSignal, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

const WITHIN_MS = PATIENCE.timeout

let demo: DemoService
let service: TestService

beforeAll(async () => {
  demo = await startDemoService()
})
afterAll(() => demo.stop())
afterEach(() => service.stop())

interface Report {
  status: string
  set_aside: { kind: string; subject: string; reason: string }[]
}

const open = async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startCrashService({ postgres_url, temporal_address, env: { SVC_BUS: 'postgres' } })
}
const start = () => startCrashRun(service, 'post', { url: demo.url })
const callsOf = (id: string) => demo.state().keys[`${id}:act`] ?? 0

/** So many workers end of the run, one after the other; the next one lives, although it would end of it as well. */
async function endWorkers(point: string, run: string, workers: number): Promise<void> {
  const deadly = { SVC_KILL_POINT: `${point}@${run}` }
  for (let n = 1; n <= workers; n += 1) expect(await exitSignal(await service.startWorker(deadly))).toBe('SIGKILL')
  await service.startWorker(deadly)
}

test('a step that ends two processes fails its run; the others of its lane go on, and its operators are notified', async () => {
  await open()
  const deadly = await start()
  const others = [await start(), await start(), await start()]
  await endWorkers('before_operator', deadly, 2)
  for (const id of [...others, await start()])
    expect(await ended(service, id, WITHIN_MS)).toMatchObject({ status: 'succeeded' })
  expect(await ended(service, deadly, WITHIN_MS)).toMatchObject({
    status: 'failed',
    error: {
      code: 'process_ended',
      step: 'act',
      message: expect.stringMatching(
        /^2 processes ended while they worked on step act,.*had begun.*look at the target/,
      ),
    },
  })
  expect(callsOf(deadly)).toBe(0)
  await proveRunRecord(service.database.db, deadly)

  const { body } = await service.call<Report>('GET', '/healthz?verbose')
  expect(body).toMatchObject({ status: 'degraded', set_aside: [{ kind: 'run', subject: deadly }] })
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/^svc_set_aside\{kind="run"\} 1$/m)
  const [published] = await service.database.db`
    select event -> 'data' as data from bus_outbox where topic = 'work.set_aside'
    union all select event -> 'data' from bus_messages where topic = 'work.set_aside'`
  expect(published).toMatchObject({ data: { kind: 'run', run_id: deadly } })
  await service.database.db`update set_aside set created_at = now() - interval '25 hours'`
  await expect
    .poll(async () => (await service.call<Report>('GET', '/healthz?verbose')).body.set_aside, PATIENCE)
    .toEqual([])
  await proveAudit(service.database.db, service.home)
})

test('so it is where the process ends before anything of the step is on record, with one process more at most', async () => {
  await open()
  const deadly = await start()
  let ends = 0
  for (let over = false; !over; ) {
    const gone = exitSignal(await service.startWorker({ SVC_KILL_POINT: `before_open@${deadly}` }))
    over = await Promise.race([gone.then(() => false), ended(service, deadly, WITHIN_MS).then(() => true)])
    if (!over) ends += 1
  }
  expect([2, 3]).toContain(ends)
  expect(await ended(service, deadly, WITHIN_MS)).toMatchObject({
    status: 'failed',
    error: { code: 'process_ended', step: 'act', message: expect.stringContaining('The step had not begun.') },
  })
  expect(callsOf(deadly)).toBe(0)
})
