import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import type { Schedule } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time/time.ts'
import { isAlive as isPidAlive, poll } from '#platform/embedded/processes.ts'
import { type RunningTemporal, startTemporal } from '#platform/embedded/temporal.ts'
import { createLogger } from '#platform/logger.ts'
import { temporalProgram } from '#test/support/embedded.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/schedules', import.meta.url))
const CATCHUPS = ['none', 'latest', 'all'] as const
/** Enough to make the schedules and to take the service down before the first tick. */
const LEAD_MS = 20_000
const TICKS = 3
const APART_MS = 2_000
/** A tick is on time for a minute and written down as missed ten seconds later, by a look that an engine in boot may hold up. */
const LATE_MS = 80_000

let home: string
let temporal: RunningTemporal
let isOver = false
const services: TestService[] = []
const cases: Record<string, { service: TestService; ids: Record<string, string>; ticks: string[] }> = {}

/** Both outages at the same time, as each must be longer than the minute in which a tick is on time. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-outage-'))
  const start = await prepareTemporal()
  temporal = await start()
  const [engineless, workerless] = await Promise.all([serve(temporal.address), serve(inject('temporal_address'))])
  const [engine, worker] = await Promise.all([makeAll(engineless.service), makeAll(workerless.service)])
  cases['the engine was'] = { service: engineless.service, ...engine }
  cases['the workers were'] = { service: workerless.service, ...worker }

  await Promise.all([killEngine(), kill(workerless.worker)])
  const [first, last] = [engine.ticks[0], [...engine.ticks, ...worker.ticks].sort().at(-1)].map((at) =>
    Date.parse(at ?? ''),
  )
  expect(Date.now()).toBeLessThan(first ?? 0)
  await new Promise((resolve) => setTimeout(resolve, (last ?? 0) + LATE_MS - Date.now()))
  temporal = await start()
  await Promise.all([
    workerless.service.startWorker(),
    isAlive(engineless.worker) ? superviseWorker(engineless) : startSupervised(engineless.service),
  ])
})
afterAll(async () => {
  isOver = true
  await Promise.all(services.map((service) => service.stop()))
  await temporal?.stop()
  if (home) await rm(home, { recursive: true, force: true })
})

async function prepareTemporal(): Promise<() => Promise<RunningTemporal>> {
  const [program, [port = 0]] = await Promise.all([temporalProgram(), freePorts(1)])
  const log = createLogger({ level: 'silent', name: 'temporal' })
  return () => startTemporal({ home, ...program, port, log, synchronous: 1 })
}

async function serve(temporal_address: string): Promise<{ service: TestService; worker: ChildProcess }> {
  const postgres_url = inject('postgres_url')
  const service = await startTestService({ postgres_url, temporal_address, env: { SVC_PACKS_DIR: PACKS }, workers: 0 })
  services.push(service)
  return { service, worker: await service.startWorker() }
}

/** One schedule of each kind, with the same three ticks within one minute, soon. */
async function makeAll({ call }: TestService): Promise<{ ids: Record<string, string>; ticks: string[] }> {
  let first = Math.ceil((Date.now() + LEAD_MS) / 1_000) * 1_000
  if (new Date(first + (TICKS - 1) * APART_MS).getUTCMinutes() !== new Date(first).getUTCMinutes())
    first = Math.ceil(first / 60_000) * 60_000
  const ticks = Array.from({ length: TICKS }, (_, index) => first + index * APART_MS)
  const seconds = ticks.map((at) => new Date(at).getUTCSeconds()).join(',')
  const cron = `${seconds} ${new Date(first).getUTCMinutes()} ${new Date(first).getUTCHours()} * * *`
  const made = await Promise.all(
    CATCHUPS.map((catchup) =>
      call<Schedule>('POST', '/triggers/scheduled', {
        name: catchup,
        cron,
        catchup,
        pack: 'clock',
        template: 'tick',
        inputs: { for: '1500ms' },
      }),
    ),
  )
  expect(made.map(({ status, body }) => [status, body.sync])).toEqual(CATCHUPS.map(() => [201, 'synced']))
  return { ids: Object.fromEntries(made.map(({ body }) => [body.name, body.id])), ticks: ticks.map(isoTime) }
}

const isAlive = (child: ChildProcess) => child.exitCode === null && child.signalCode === null

/** A worker that gives up on an engine that has just come back is started again, as the supervisor does. */
function superviseWorker({ service, worker }: { service: TestService; worker: ChildProcess }): void {
  worker.once('exit', () => {
    if (!isOver) void startSupervised(service)
  })
}

async function startSupervised(service: TestService): Promise<void> {
  superviseWorker({ service, worker: await service.startWorker() })
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function killEngine(): Promise<void> {
  process.kill(temporal.pid, 'SIGKILL')
  if (!(await poll(() => !isPidAlive(temporal.pid), PATIENCE.timeout))) throw new Error('the engine lives on')
}

/** What became of each tick, once that is known of all and every run has ended. */
async function outcomes(outage: string, catchup: string) {
  const { service, ids, ticks } = cases[outage] ?? expect.unreachable('no such outage')
  const id = ids[catchup] ?? ''
  const { db } = service.database
  const settled = async () => {
    const firings = await db<{ nominal_at: string; outcome: string; reason: string | null }[]>`
      select nominal_at, outcome, reason from schedule_firings where schedule_id = ${id} order by schedule_firings.nominal_at`
    const runs = await db<{ nominal_at: string; created_at: string; ended_at: string | null }[]>`
      select provenance #>> '{trigger,nominal_at}' as nominal_at, created_at, ended_at from runs
      where provenance #>> '{trigger,schedule_id}' = ${id} order by runs.created_at`
    const isSettledEach = firings.every(({ outcome }) => !['claimed', 'waiting'].includes(outcome))
    const isSettled = firings.length === TICKS && isSettledEach && runs.every((run) => run.ended_at !== null)
    expect(isSettled, JSON.stringify({ firings, runs })).toBe(true)
    return { ticks, firings, runs }
  }
  return await vi.waitFor(settled, { timeout: 90_000, interval: 100 })
}

describe.each(['the engine was', 'the workers were'])('when %s away for more than a minute', (outage) => {
  test.each([
    ['none', ['late', 'late', 'late']],
    ['latest', ['superseded', 'superseded', 'started']],
    ['all', ['started', 'started', 'started']],
  ])('catchup %s makes up for what it says, and the rest is recorded as missed', async (catchup, expected) => {
    const { ticks, firings, runs } = await outcomes(outage, catchup)
    expect(firings.map(({ nominal_at }) => isoTime(Date.parse(nominal_at)))).toEqual(ticks)
    expect(firings.map(({ reason, outcome }) => reason ?? outcome)).toEqual(expected)
    const made = ticks.filter((_, index) => expected[index] === 'started')
    expect(runs.map(({ nominal_at }) => isoTime(Date.parse(nominal_at)))).toEqual(made)
    // each begins when the one before has ended, although the rule of the schedule is to skip what overlaps
    const gaps = runs.slice(1).map((run, index) => Date.parse(run.created_at) - Date.parse(runs[index]?.ended_at ?? ''))
    expect(gaps.filter((gap) => !(gap >= 0))).toEqual([])
  })
})
