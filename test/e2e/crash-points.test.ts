import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { FaultPoint } from '#activities/deps.ts'
import { createDb, type Db } from '#store/db.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { exitSignal, killHard, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { type DemoService, startDemoService } from '#test/support/demo-service.ts'
import type { EventBody, RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

const ACTING: FaultPoint[] = ['before_open', 'before_operator', 'after_operator', 'after_settle', 'after_close']
const PARKING: FaultPoint[] = ['after_park']
/** where the worker dies between the record that it begins and the record of how it ended */
const DOUBTFUL: FaultPoint[] = ['before_operator', 'after_operator', 'after_settle']
/** where the effect has happened when the worker dies */
const ACTED: FaultPoint[] = ['after_operator', 'after_settle', 'after_close']
const WITHIN_MS = 30_000

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
}, 60_000)
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

type Gates = RunBody & { gates: { gate_id: string; kind: string; status: string }[] }
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
    .until<Gates>(`/runs/${id}`, (run) => run.status === 'awaiting_approval' || run.status === 'failed', WITHIN_MS)
    .then(async () => {
      const { status, body } = await service.call<Pending>('GET', `/runs/${id}/pending-approval`)
      expect(status).toBe(200)
      expect(body.because.includes('outcome_unknown')).toBe(cause === 'outcome_unknown')
      return body.gate_id
    })

/** Repeats a decision that was refused because the engine has not caught up with the record. */
async function decide(service: TestService, id: string, decision: 'approve' | 'reject'): Promise<void> {
  const deadline = Date.now() + WITHIN_MS
  for (;;) {
    const { status, body } = await service.call('POST', `/runs/${id}/resume`, { decision })
    if (status === 200) return
    if (Date.now() > deadline) throw new Error(`${decision} was not taken: ${status} ${JSON.stringify(body)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const ended = (service: TestService, id: string) =>
  service.until<RunBody>(
    `/runs/${id}`,
    (run) => ['succeeded', 'failed', 'rejected', 'cancelled', 'expired'].includes(run.status),
    WITHIN_MS,
  )

describe.concurrent('a worker that dies at any point', () => {
  test('repeats what may be repeated with the same key, and the target has acted once', async () => {
    const { service, demo } = await openService()
    for (const [index, point] of ACTING.entries()) {
      const dying = await service.startWorker({ SVC_KILL_POINT: point })
      const id = await startCrashRun(service, 'post', { url: demo.url })
      expect(await exitSignal(dying), point).toBe('SIGKILL')
      expect(demo.state().actions.length, point).toBe(index + (ACTED.includes(point) ? 1 : 0))
      const clean = await service.startWorker()
      expect(await ended(service, id), point).toMatchObject({ status: 'succeeded', outputs: { healthy: true } })
      const { actions, keys } = demo.state()
      expect(
        actions.filter((action) => action.key === `${id}:act`),
        point,
      ).toHaveLength(1)
      expect(actions, point).toHaveLength(index + 1)
      expect(Object.keys(keys), point).toHaveLength(index + 1)
      expect(keys[`${id}:act`], point).toBe(point === 'after_operator' || point === 'after_settle' ? 2 : 1)
      completedOnce(await proveRunRecord(service.database.db, id), ['act', 'check'])
      await proveAudit(service.database.db, service.home)
      await killHard(clean)
    }
  })

  test('asks a person about what may not be repeated, and repeats it only when told to', async () => {
    const { service, demo } = await openService()
    for (const point of ACTING) {
      const before = demo.state().actions.length
      const dying = await service.startWorker({ SVC_KILL_POINT: point })
      const id = await startCrashRun(service, 'post', { url: demo.url, idempotent: false })
      expect(await exitSignal(dying), point).toBe('SIGKILL')
      const acted = ACTED.includes(point) ? 1 : 0
      const clean = await service.startWorker()
      if (DOUBTFUL.includes(point)) {
        await parkedOn(service, id, 'outcome_unknown')
        expect(demo.state().keys[`${id}:act`] ?? 0, point).toBe(acted)
        await decide(service, id, 'approve')
      }
      expect(await ended(service, id), point).toMatchObject({ status: 'succeeded' })
      expect(demo.state().keys[`${id}:act`], point).toBe(DOUBTFUL.includes(point) ? acted + 1 : 1)
      expect(demo.state().actions.length, point).toBe(before + 1)
      completedOnce(await proveRunRecord(service.database.db, id), ['act', 'check'])
      await proveAudit(service.database.db, service.home)
      await killHard(clean)
    }
  })

  test('leaves a statement alone until a person has looked, and parks on one gate only', async () => {
    const { service } = await openService()
    for (const point of [...PARKING, ...ACTING]) {
      const dying = await service.startWorker({ SVC_KILL_POINT: point })
      const id = await startCrashRun(service, 'sql', {})
      if (point !== 'after_park') {
        await parkedOn(service, id, 'approval')
        await decide(service, id, 'approve')
      }
      expect(await exitSignal(dying), point).toBe('SIGKILL')
      const acted = ACTED.includes(point) ? 1 : 0
      expect(await effects(id), point).toBe(acted)
      const clean = await service.startWorker()
      const doubtful = DOUBTFUL.includes(point)
      if (point === 'after_park') {
        await parkedOn(service, id, 'approval')
        await decide(service, id, 'approve')
      }
      if (doubtful) {
        await parkedOn(service, id, 'outcome_unknown')
        expect(await effects(id), point).toBe(acted)
        await decide(service, id, point === 'before_operator' ? 'approve' : 'reject')
      }
      const run = await ended(service, id)
      expect(run.status, point).toBe(doubtful && point !== 'before_operator' ? 'rejected' : 'succeeded')
      expect(await effects(id), point).toBe(1)
      const events = await proveRunRecord(service.database.db, id)
      expect(
        events.filter((event) => event.type === 'gate.opened'),
        point,
      ).toHaveLength(doubtful ? 2 : 1)
      await proveAudit(service.database.db, service.home)
      await killHard(clean)
    }
  })
})

async function effects(id: string): Promise<number> {
  const [row] = await target<{ n: number }[]>`select count(*)::int as n from effects where run_id = ${id}`
  return row?.n ?? 0
}

function completedOnce(events: EventBody[], steps: string[]): void {
  expect(events.filter((event) => event.type === 'step.completed').map((event) => event.step)).toEqual(steps)
}
