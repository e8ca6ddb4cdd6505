import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import type { FaultPoint } from '#activities/deps.ts'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { createDb, type Db } from '#store/db.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { exitSignal, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import type { EventBody, RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

const WITHIN_MS = PATIENCE.timeout

const cleanups: (() => Promise<unknown>)[] = []
let target: Db
let target_url: string

beforeAll(async () => {
  const admin = createDb(inject('postgres_url'), { max: 1 })
  const name = `crash_target_${Date.now().toString(36)}`
  await admin.unsafe(`create database ${name}`)
  const url = new URL(inject('postgres_url'))
  url.pathname = `/${name}`
  target_url = url.toString()
  target = createDb(target_url, { max: 2 })
  await target`create table effects (run_id text)`
  cleanups.push(async () => {
    await target.end({ timeout: 1 })
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end({ timeout: 1 })
  })
})
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

interface Pending {
  gate_id: string
  because: string[]
}

async function openService(): Promise<{ service: TestService; demo: DemoService }> {
  const demo = await startDemoService()
  const service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    target_url,
  })
  cleanups.push(demo.stop, service.stop)
  return { service, demo }
}

const parkedOn = (service: TestService, id: string, cause: string) =>
  service
    .until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval' || run.status === 'failed', WITHIN_MS)
    .then(async () => {
      const { status, body } = await service.call<Pending>('GET', `/runs/${id}/pending-approval`)
      expect(status).toBe(200)
      expect(body.because.includes('outcome_unknown')).toBe(cause === 'outcome_unknown')
      if (cause === 'outcome_unknown')
        expect(body.because.join()).toMatch(/attempt \d+, at 2.*, had begun, so it may have taken effect/)
      return body.gate_id
    })

/** Repeats a decision that was refused because the engine has not caught up with the record. */
async function decide(service: TestService, id: string, decision: 'approve' | 'reject'): Promise<void> {
  const taken = async () => {
    const { status, body } = await service.call('POST', `/runs/${id}/resume`, { decision })
    expect(status, JSON.stringify(body)).toBe(200)
  }
  await vi.waitFor(taken, { timeout: WITHIN_MS, interval: 100 })
}

const ended = (service: TestService, id: string) =>
  service.until<RunBody>(
    `/runs/${id}`,
    (run) => ['succeeded', 'failed', 'rejected', 'cancelled', 'expired'].includes(run.status),
    WITHIN_MS,
  )

/** Starts a worker that dies at a point; answers when it is dead, with the run led there by `lead`. */
async function dieAt(service: TestService, point: FaultPoint, lead: () => Promise<unknown>): Promise<void> {
  const worker = await service.startWorker({ SVC_KILL_POINT: point })
  await lead()
  expect(await exitSignal(worker), point).toBe('SIGKILL')
}

const nothing = async () => undefined

// one run after the other is led to each point by a worker that dies there: the next one picks it up and dies further on
describe.concurrent('a run whose workers die at every point, one after the other', { timeout: 480_000 }, () => {
  // the second process that ends with a step under way is its last
  test.each<[FaultPoint[], number]>([
    [['before_open', 'before_operator'], 1],
    [['after_operator'], 2],
    [['after_settle', 'after_close'], 2],
  ])('at %s: repeats what may be repeated with the same key, and the target has acted once', async (points, calls) => {
    const { service, demo } = await openService()
    let id = ''
    for (const point of points)
      await dieAt(service, point, async () => {
        id ||= await startCrashRun(service, 'post', { url: demo.url })
      })
    await service.startWorker()
    await closed(service, id)
    expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { healthy: true } })
    expect(demo.state().actions).toMatchObject([{ key: `${id}:act` }])
    expect(demo.state().keys).toEqual({ [`${id}:act`]: calls })
    const events = await proveRunRecord(service.database.db, id)
    expect(count(events, 'gate.opened')).toBe(0)
    completedOnce(events, ['act', 'check'])
    await proveAudit(service.database.db, service.home)
  })

  test('asks a person about what may not be repeated, and repeats it only when told to', async () => {
    const { service, demo } = await openService()
    let id = ''
    const approve = async (calls: number) => {
      await parkedOn(service, id, 'outcome_unknown')
      expect(demo.state().calls).toBe(calls)
      await decide(service, id, 'approve')
    }
    await dieAt(service, 'before_open', async () => {
      id = await startCrashRun(service, 'post', { url: demo.url, idempotent: false })
    })
    await dieAt(service, 'before_operator', nothing)
    await dieAt(service, 'after_operator', () => approve(0))
    await dieAt(service, 'after_settle', () => approve(1))
    await dieAt(service, 'after_close', () => approve(2))
    await service.startWorker()
    await closed(service, id)
    expect((await ended(service, id)).status).toBe('succeeded')
    expect(demo.state().keys).toEqual({ [`${id}:act`]: 3 })
    expect(demo.state().actions).toHaveLength(1)
    const events = await proveRunRecord(service.database.db, id)
    expect(count(events, 'gate.opened')).toBe(3)
    completedOnce(events, ['act', 'check'])
    await proveAudit(service.database.db, service.home)
  })

  test('parks on one gate only, and leaves a statement alone until a person has looked', async () => {
    const { service } = await openService()
    let id = ''
    const approve = async (cause: string, before: number) => {
      await parkedOn(service, id, cause)
      expect(await effects(id)).toBe(before)
      await decide(service, id, 'approve')
    }
    await dieAt(service, 'after_park', async () => {
      id = await startCrashRun(service, 'sql', {})
    })
    await dieAt(service, 'before_open', () => approve('approval', 0))
    await dieAt(service, 'before_operator', nothing)
    await dieAt(service, 'after_operator', () => approve('outcome_unknown', 0))
    await dieAt(service, 'after_settle', () => approve('outcome_unknown', 1))
    await service.startWorker()
    await parkedOn(service, id, 'outcome_unknown')
    await decide(service, id, 'reject')
    await closed(service, id)
    expect((await ended(service, id)).status).toBe('rejected')
    expect(await effects(id)).toBe(2)
    const events = await proveRunRecord(service.database.db, id)
    expect(count(events, 'gate.opened')).toBe(4)
    completedOnce(events, [])
    await proveAudit(service.database.db, service.home)
  })
})

/** The engine, too, knows that the run is over. */
async function closed(service: TestService, id: string): Promise<void> {
  await service.temporal.workflow.getHandle(id).result()
  expect((await service.temporal.workflow.getHandle(id).describe()).status.name).toBe('COMPLETED')
}

function count(events: EventBody[], type: string): number {
  return events.filter((event) => event.type === type).length
}

async function effects(id: string): Promise<number> {
  const [row] = await target<{ n: number }[]>`select count(*)::int as n from effects where run_id = ${id}`
  return row?.n ?? 0
}

function completedOnce(events: EventBody[], steps: string[]): void {
  expect(events.filter((event) => event.type === 'step.completed').map((event) => event.step)).toEqual(steps)
}
