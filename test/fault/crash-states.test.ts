import type { ChildProcess } from 'node:child_process'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { killHard, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { type EffectTarget, startEffectTarget } from '#test/support/effect-target.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

/** The engine's word for a workflow task that a worker has taken. */
const STARTED = 2

let service: TestService
let api: ChildProcess
let worker: ChildProcess
let target: EffectTarget
/** answers an action only once `letGo` is called */
let held: string
let letGo: () => void

beforeAll(async () => {
  target = await startEffectTarget()
  held = `${target.url}/held`
  service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    // runs started by hand go to the background lane: one operator that waits fills it
    env: { SVC_LANE_BACKGROUND: '1' },
    api: false,
  })
  ;[api, worker] = await Promise.all([service.startApi(), service.startWorker()])
})
afterAll(async () => {
  await service?.stop()
  await target?.stop()
})
beforeEach(() => {
  letGo = target.hold((path) => path === '/held/restart')
})
afterEach(() => letGo())

const statusOf = async (id: string) => (await service.call<RunBody>('GET', `/runs/${id}`)).body.status
/** What a run has done, each action once however often it was called. */
const actsOf = (id: string) => target.of(id).filter(({ path }) => path.endsWith('/restart'))
const callsOf = (id: string) => target.calls.filter(({ key }) => key === `${id}:act`).length

async function until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE.timeout
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** One run in each state that a crash can meet. */
async function oneOfEach() {
  const parked = await startCrashRun(service, 'gated', { url: target.url })
  const refused = await startCrashRun(service, 'gated', { url: target.url })
  await Promise.all([awaiting(service, parked), awaiting(service, refused)])
  const delayed = await startCrashRun(service, 'later', { url: target.url, for: '3s' })
  await service.until<RunBody>(`/runs/${delayed}`, (run) =>
    run.progress.steps.some((step) => step.id === 'delay' && step.state === 'ready'),
  )
  const running = await atWork()
  const queued = await startCrashRun(service, 'post', { url: target.url })
  expect(await statusOf(queued)).toBe('queued')
  expect(await statusOf(running)).toBe('running')
  return { running, queued, parked, refused, delayed }
}

/** A run whose operator waits for its answer. */
async function atWork(): Promise<string> {
  const id = await startCrashRun(service, 'post', { url: held })
  await until(() => callsOf(id) === 1, 'the operator at work')
  return id
}

/** Decides what is parked, and proves that everything ended as it should and acted once; the run at work in so many attempts. */
async function finish(runs: Awaited<ReturnType<typeof oneOfEach>>, attempts: number): Promise<void> {
  await decided(runs.parked, 'approve')
  await decided(runs.refused, 'reject')
  const acted = [runs.running, runs.queued, runs.parked, runs.delayed]
  for (const id of acted) expect((await ended(service, id)).status).toBe('succeeded')
  expect((await ended(service, runs.refused)).status).toBe('rejected')
  expect(callsOf(runs.running)).toBe(attempts)
  for (const id of [runs.queued, runs.parked, runs.delayed]) expect(callsOf(id)).toBe(1)
  for (const id of acted) expect(actsOf(id)).toHaveLength(1)
  expect(actsOf(runs.refused)).toEqual([])
  for (const id of Object.values(runs)) await proveRunRecord(service.database.db, id)
  await proveAudit(service.database.db, service.home)
}

async function decided(id: string, decision: 'approve' | 'reject'): Promise<void> {
  const { status, body } = await service.call('POST', `/runs/${id}/resume`, { decision })
  expect({ status, body }).toMatchObject({ status: 200, body: { resolved: true, decision } })
}

test('the API is killed: no run notices, and gates are answered by the next one', async () => {
  const runs = await oneOfEach()
  await killHard(api)
  letGo()
  api = await service.startApi()
  await finish(runs, 1)
})

test('the worker is killed: its run is at work again, and the others lose nothing', async () => {
  const runs = await oneOfEach()
  await killHard(worker)
  worker = await service.startWorker()
  await until(() => callsOf(runs.running) > 1, 'the second attempt')
  letGo()
  await finish(runs, 2)
})

test('API and worker are killed at once: everything is there when they return', async () => {
  const runs = await oneOfEach()
  await Promise.all([killHard(api), killHard(worker)])
  letGo()
  ;[api, worker] = await Promise.all([service.startApi(), service.startWorker()])
  await finish(runs, 2)
})

test('a run is cancelled while its operator runs: it is cancelled when the operator has stopped, not before', async () => {
  const id = await atWork()
  const { status } = await service.call('POST', `/runs/${id}/cancel`, { reason: 'changed my mind' })
  expect(status).toBe(202)
  const began = performance.now()
  const run = await ended(service, id)
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(run).toMatchObject({ status: 'cancelled' })
  expect(run.progress.steps.find((step) => step.id === 'act')?.state).toBe('cancelled')
  const events = await proveRunRecord(service.database.db, id)
  expect(events.map((event) => event.type)).toEqual(expect.arrayContaining(['run.cancelling', 'run.cancelled']))
  await proveAudit(service.database.db, service.home)
})

test('a run whose worker died is cancelled, not failed, when somebody asked for that', async () => {
  const id = await atWork()
  const other = await service.startWorker()
  await killHard(worker)
  worker = other
  expect((await service.call('POST', `/runs/${id}/cancel`, {})).status).toBe(202)
  const run = await ended(service, id)
  expect(run).toMatchObject({
    status: 'cancelled',
    progress: { steps: [{ id: 'act', state: 'cancelled' }, { id: 'check' }] },
  })
  expect(callsOf(id)).toBe(1)
  await proveRunRecord(service.database.db, id)
  await proveAudit(service.database.db, service.home)
})

test('a worker dies while it handles a decision: another worker takes it, and the person has the answer', async () => {
  const id = await startCrashRun(service, 'gated', { url: target.url })
  await awaiting(service, id)
  const task = async () => (await service.temporal.workflow.getHandle(id).describe()).raw.pendingWorkflowTask
  worker.kill('SIGSTOP')
  const answer = service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })
  await until(async () => (await task())?.state === STARTED, 'the task at the worker')
  await killHard(worker)
  worker = await service.startWorker()
  expect(await answer).toMatchObject({ status: 200, body: { resolved: true, decision: 'approve' } })
  expect((await ended(service, id)).status).toBe('succeeded')
  await proveRunRecord(service.database.db, id)
})

test('a queued run that is cancelled never acts', async () => {
  const holder = await atWork()
  const queued = await startCrashRun(service, 'post', { url: target.url })
  const asked = await service.call('POST', `/runs/${queued}/cancel`, {})
  expect(asked).toMatchObject({ status: 202 })
  letGo()
  expect((await ended(service, queued)).status).toBe('cancelled')
  expect((await ended(service, holder)).status).toBe('succeeded')
  expect(callsOf(queued)).toBe(0)
  await proveRunRecord(service.database.db, queued)
  await proveAudit(service.database.db, service.home)
})
