import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { killHard, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'
import { slowness } from '#test/support/slowness.ts'

/** A killed worker is noticed by its missing heartbeats (4 s), and its run is at work again within this time. */
const RECOVERY_MS = 10_000
/** The engine's word for a workflow task that a worker has taken. */
const STARTED = 2

let service: TestService
let api: ChildProcess
let worker: ChildProcess
let slow: DemoService
let quick: DemoService

beforeAll(async () => {
  ;[slow, quick] = await Promise.all([startDemoService(), startDemoService()])
  service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    // runs started by hand go to the background lane: one slow operator fills it
    env: { SVC_LANE_BACKGROUND: '1' },
    api: false,
  })
  ;[api, worker] = await Promise.all([service.startApi(), service.startWorker()])
})
afterAll(async () => {
  await service.stop()
  await Promise.all([slow.stop(), quick.stop()])
})

/** The demo service answers this request, too, with the new latency: what counts is that it arrived. */
async function setLatency(ms: number): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  fetch(`${slow.url}/latency`, { method: 'POST', body: JSON.stringify({ ms }), headers }).catch(() => undefined)
  await until(() => slow.state().latency_ms === ms, 'the latency')
}
const statusOf = async (id: string) => (await service.call<RunBody>('GET', `/runs/${id}`)).body.status
const actionsOf = (demo: DemoService, id: string) =>
  demo.state().actions.filter((action) => action.key === `${id}:act`).length

async function until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** One run in each state that a crash can meet. */
async function oneOfEach() {
  await setLatency(2_500)
  const parked = await startCrashRun(service, 'gated', { url: quick.url })
  const refused = await startCrashRun(service, 'gated', { url: quick.url })
  const delayed = await startCrashRun(service, 'later', { url: quick.url, for: '3s' })
  await Promise.all([awaiting(service, parked), awaiting(service, refused)])
  await service.until<RunBody>(`/runs/${delayed}`, (run) =>
    run.progress.steps.some((step) => step.id === 'delay' && step.state === 'ready'),
  )
  const running = await startCrashRun(service, 'post', { url: slow.url })
  await until(() => slow.state().keys[`${running}:act`] !== undefined, 'the operator at work')
  const queued = await startCrashRun(service, 'post', { url: quick.url })
  expect(await statusOf(queued)).toBe('queued')
  expect(await statusOf(running)).toBe('running')
  return { running, queued, parked, refused, delayed }
}

/** Decides what is parked, and proves that everything ended as it should and acted once. */
async function finish(runs: Awaited<ReturnType<typeof oneOfEach>>): Promise<void> {
  await decided(runs.parked, 'approve')
  await decided(runs.refused, 'reject')
  const acted = [runs.running, runs.queued, runs.parked, runs.delayed]
  for (const id of acted) expect((await ended(service, id)).status).toBe('succeeded')
  expect((await ended(service, runs.refused)).status).toBe('rejected')
  expect(actionsOf(slow, runs.running)).toBe(1)
  for (const id of [runs.queued, runs.parked, runs.delayed]) {
    expect(quick.state().keys[`${id}:act`]).toBe(1)
    expect(actionsOf(quick, id)).toBe(1)
  }
  expect(actionsOf(quick, runs.refused)).toBe(0)
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
  api = await service.startApi()
  await finish(runs)
})

test('the worker is killed: its run is at work again within seconds, and the others lose nothing', async () => {
  const runs = await oneOfEach()
  const calls = slow.state().keys[`${runs.running}:act`] ?? 0
  await killHard(worker)
  const killed = performance.now()
  worker = await service.startWorker()
  await until(() => (slow.state().keys[`${runs.running}:act`] ?? 0) > calls, 'the second attempt')
  const recovery_ms = performance.now() - killed
  expect(recovery_ms).toBeLessThan(RECOVERY_MS * slowness())
  await finish(runs)
  expect(slow.state().keys[`${runs.running}:act`]).toBe(2)
})

test('API and worker are killed at once: everything is there when they return', async () => {
  const runs = await oneOfEach()
  await Promise.all([killHard(api), killHard(worker)])
  ;[api, worker] = await Promise.all([service.startApi(), service.startWorker()])
  await finish(runs)
})

test('a run is cancelled while its operator runs: it is cancelled when the operator has stopped, not before', async () => {
  await setLatency(20_000)
  const id = await startCrashRun(service, 'post', { url: slow.url })
  await until(() => slow.state().keys[`${id}:act`] !== undefined, 'the operator at work')
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
  await setLatency(20_000)
  const id = await startCrashRun(service, 'post', { url: slow.url })
  await until(() => slow.state().keys[`${id}:act`] !== undefined, 'the operator at work')
  const other = await service.startWorker()
  await killHard(worker)
  worker = other
  expect((await service.call('POST', `/runs/${id}/cancel`, {})).status).toBe(202)
  const run = await ended(service, id)
  expect(run).toMatchObject({
    status: 'cancelled',
    progress: { steps: [{ id: 'act', state: 'cancelled' }, { id: 'check' }] },
  })
  expect(actionsOf(slow, id)).toBe(1)
  await proveRunRecord(service.database.db, id)
  await proveAudit(service.database.db, service.home)
})

test('a worker dies while it handles a decision: another worker takes it, and the person has the answer', async () => {
  const id = await startCrashRun(service, 'gated', { url: quick.url })
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
  await setLatency(3_000)
  const holder = await startCrashRun(service, 'post', { url: slow.url })
  await until(() => slow.state().keys[`${holder}:act`] !== undefined, 'the operator at work')
  const queued = await startCrashRun(service, 'post', { url: quick.url })
  const asked = await service.call('POST', `/runs/${queued}/cancel`, {})
  expect(asked).toMatchObject({ status: 202 })
  expect((await ended(service, queued)).status).toBe('cancelled')
  expect((await ended(service, holder)).status).toBe('succeeded')
  expect(quick.state().keys[`${queued}:act`]).toBeUndefined()
  await proveRunRecord(service.database.db, queued)
  await proveAudit(service.database.db, service.home)
})
