import type { ChildProcess } from 'node:child_process'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createDb, type Db } from '#store/db.ts'
import { changeBytes } from '#test/support/change-bytes.ts'
import { runCli } from '#test/support/cli.ts'
import { proveAudit } from '#test/support/crash-record.ts'
import { exitSignal, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { awaiting, ended } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

interface Health {
  checks: { audit: string }
  details?: { audit: { detail?: string } }
}

let service: TestService
let demo: DemoService
let owner: Db
let worker: ChildProcess
let path: string

beforeAll(async () => {
  demo = await startDemoService()
  service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
  owner = createDb(service.database.owner_url, { max: 1 })
  path = join(service.home, 'audit.jsonl')
  worker = await service.startWorker()
})
afterAll(async () => {
  await owner?.end()
  await service?.stop()
  await demo?.stop()
})

const read = () => readFile(path, 'utf8')
const actions = async () =>
  (await read())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event.action as string)
const calls = () => demo.state().calls
const post = () => startCrashRun(service, 'post', { url: demo.url })

/** What is done to the log while nobody writes it. */
async function restartAfter(tamper: () => Promise<unknown>): Promise<void> {
  worker.kill('SIGTERM')
  await exitSignal(worker)
  await tamper()
  worker = await service.startWorker()
}

/** Health says what is wrong, the figure is there, the API still reads, and whatever would act is refused its record. */
async function expectNothingActs(id: string, detail: RegExp): Promise<void> {
  const before = calls()
  const reported = await poll(async () => {
    const { status, body } = await service.call<Health>('GET', '/healthz?verbose')
    return status === 503 && detail.test(body.details?.audit.detail ?? '')
  }, PATIENCE.timeout)
  expect(reported).toBe(true)
  expect((await service.call<string>('GET', '/metrics')).body).toMatch(/^svc_audit_log_sound 0$/m)
  expect((await service.call('GET', `/runs/${id}`)).status).toBe(200)
  const refused = await poll(async () => {
    const { raw } = await service.temporal.workflow.getHandle(id).describe()
    return raw.pendingActivities?.some(({ lastFailure }) => lastFailure?.message?.includes('audit log') === true)
  }, PATIENCE.timeout)
  expect(refused).toBe(true)
  expect(calls()).toBe(before)
}

test('a log whose end was cut while the service was down is written again, on record, before anything acts', async () => {
  await ended(service, await post())
  await proveAudit(service.database.db, service.home)
  const before = await read()
  await restartAfter(() => writeFile(path, `${before.split('\n').slice(0, -4).join('\n')}\n`))
  await ended(service, await post())
  expect(calls()).toBe(2)
  expect((await read()).startsWith(before)).toBe(true)
  expect((await actions())[before.trimEnd().split('\n').length]).toBe('sink.healed')
  await service.until('/healthz', () => true)
  await proveAudit(service.database.db, service.home)
})

test('a byte changed under the running service stops every effect; the log is healed without a restart', async () => {
  const id = await startCrashRun(service, 'gated', { url: demo.url })
  await awaiting(service, id)
  await proveAudit(service.database.db, service.home)
  const before = await read()
  await changeBytes(path, '"action":"run.', '"action":"Run.')
  await expect.poll(async () => (await service.call('GET', '/healthz')).status, PATIENCE).toBe(503)
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })).status).toBe(200)
  await expectNothingActs(id, /broken at record \d+ \(hash_mismatch/)
  await rename(path, `${path}.evidence`)
  expect((await ended(service, id)).status).toBe('succeeded')
  expect((await read()).startsWith(before)).toBe(true)
  expect(await actions()).toEqual(expect.arrayContaining(['sink.refused', 'sink.healed']))
  await service.until('/healthz', () => true)
  await proveAudit(service.database.db, service.home)
})

test('a database that is older than the log stops every effect until a person accepts the log, on record', async () => {
  const count = (await actions()).length
  await restartAfter(() => owner`delete from audit_outbox where seq > ${count - 5}`)
  const id = await post()
  await expectNothingActs(id, /does not have record \d+: the database was restored/)
  const env = { SVC_HOME: service.home, DATABASE_URL: service.database.url }
  expect(await runCli(['audit', 'accept', '--reason', 'restored from the backup of 02:00'], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('5 records taken over'),
  })
  expect((await ended(service, id)).status).toBe('succeeded')
  expect(await actions()).toContain('sink.accepted')
  await proveAudit(service.database.db, service.home)
})
