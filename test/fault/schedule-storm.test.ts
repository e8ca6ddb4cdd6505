import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { nextFires } from '#core/schedule/next-fires.ts'
import type { Schedule } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time/time.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/schedules', import.meta.url))
const SEED = 20_260_728
const SCHEDULES = 20
const EVERY_MS = 10_000
const STORM_MS = 28_000

/** One schedule of the storm, with the time in which it had to fire. */
interface Stormed extends Schedule {
  made: number
  /** when it was asked to end, and when it had */
  ending: number
  ended: number
}

let service: TestService
let ports: number[]
let apis: ChildProcess[]
let workers: ChildProcess[]
let turn = 0

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: PACKS, SVC_LANE_BACKGROUND: '4' },
    workers: 0,
    api: false,
  })
  ports = await freePorts(3)
  ;[apis, workers] = await Promise.all([
    Promise.all(ports.map((port) => service.startApi({ SVC_PORT: String(port) }))),
    Promise.all([service.startWorker(), service.startWorker()]),
  ])
})
afterAll(() => service?.stop())

/** Asks one API after the other until one of them answers. */
async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: Schedule }> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    turn += 1
    try {
      const response = await fetch(`http://127.0.0.1:${ports[turn % ports.length]}${path}`, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      })
      const text = await response.text()
      if (response.status < 500 && response.status !== 409)
        return { status: response.status, body: text && JSON.parse(text) }
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    if (Date.now() > deadline) throw new Error(`${method} ${path} was not answered`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const moment = (time: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())))

async function make(index: number): Promise<Stormed> {
  const draft = { name: `storm-${index}`, cron: cronOf(index), pack: 'clock', template: 'tick', overlap: 'queue' }
  const { status, body } = await ask('POST', '/triggers/scheduled', draft)
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.sync).toBe('synced')
  const forever = Number.POSITIVE_INFINITY
  return { ...body, made: Date.now(), ending: forever, ended: forever }
}

const cronOf = (index: number) => `${index % 10},${(index % 10) + 10}-59/10 * * * * *`

/** Pauses or deletes at a moment that is soon after one of its ticks, when the tick is being decided. */
async function end(schedule: Stormed, after: number, within_ms: number, how: 'pause' | 'delete'): Promise<void> {
  const tick = firesOf(schedule, after, after + 2 * EVERY_MS)[0] ?? after
  await moment(tick + within_ms)
  schedule.ending = Date.now()
  const path = `/triggers/scheduled/${schedule.id}`
  const { status } = how === 'pause' ? await ask('PATCH', path, { state: 'paused' }) : await ask('DELETE', path)
  // a repeat finds what the API did before it was killed
  expect(how === 'pause' ? [200] : [204, 404]).toContain(status)
  schedule.ended = Date.now()
}

function firesOf({ cron }: Pick<Schedule, 'cron'>, from: number, to: number): number[] {
  const rule = compileSchedule({ cron, timezone: 'UTC', dst: { gap: 'run_at_end', fold: 'first' } }, from)
  return nextFires(rule, from, Math.ceil((to - from) / 1_000)).filter((fire) => fire <= to)
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function replace(child: ChildProcess | undefined, start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  if (child === undefined) throw new Error('nothing to kill')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  return await start()
}

/** Kills each API once and a worker twice, at moments of the seed, and starts another in its place. */
function kills(random: () => number, begin: number): Promise<unknown> {
  const someTime = (from: number, to: number) => begin + from + random() * (to - from)
  const apiTimes = ports.map((_, index) => someTime(index * 7_000, index * 7_000 + 6_000))
  const workerTimes = [someTime(3_000, 9_000), someTime(15_000, 20_000)]
  return Promise.all([
    ...apiTimes.map(async (time, index) => {
      await moment(time)
      apis[index] = await replace(apis[index], () => service.startApi({ SVC_PORT: String(ports[index]) }))
    }),
    ...workerTimes.map(async (time, index) => {
      await moment(time)
      workers[index] = await replace(workers[index], () => service.startWorker())
    }),
  ])
}

interface Firing {
  schedule_id: string
  nominal_at: string
  actual_at: string
  outcome: string
  reason: string | null
  run_id: string | null
}
interface Run {
  id: string
  schedule_id: string
  nominal_at: string
  created_at: string
  ended_at: string | null
  provenance: { trigger: Record<string, unknown>; actor: Record<string, unknown> }
}

const readFirings = () => service.database.db<Firing[]>`
  select schedule_id, nominal_at, actual_at, outcome, reason, run_id from schedule_firings`
const readRuns = () => service.database.db<Run[]>`
  select id, created_at, ended_at, provenance, provenance #>> '{trigger,schedule_id}' as schedule_id,
    provenance #>> '{trigger,nominal_at}' as nominal_at from runs`
/** A schedule and a time, however the time is written. */
const keyOf = ({ schedule_id, nominal_at }: Pick<Firing, 'schedule_id' | 'nominal_at'>) =>
  `${schedule_id} ${isoTime(Date.parse(nominal_at))}`
/** Every time up to its end, however near: what has not ticked by then is skipped with the end. */
const dueTimes = ({ id, cron, made, ending }: Stormed) =>
  firesOf({ cron }, made, ending).map((at) => keyOf({ schedule_id: id, nominal_at: isoTime(at) }))

/** Waits until every time that was due is settled and every run has ended. */
async function calm(schedules: Stormed[]): Promise<void> {
  const due = schedules.flatMap(dueTimes)
  const settle = async () => {
    const [firings, runs] = await Promise.all([readFirings(), readRuns()])
    const settled = new Set(firings.filter(({ outcome }) => !['claimed', 'waiting'].includes(outcome)).map(keyOf))
    const missing = due.filter((key) => !settled.has(key))
    const isCalm = settled.size === firings.length && runs.every((run) => run.ended_at !== null)
    expect({ missing, isCalm }).toEqual({ missing: [], isCalm: true })
  }
  await vi.waitFor(settle, PATIENCE)
}

/** Everything that is not as it has to be. */
function faultsOf(schedule: Stormed, firings: Firing[], runs: Run[]): string[] {
  const mine = firings.filter((each) => each.schedule_id === schedule.id)
  const started = runs.filter((each) => each.schedule_id === schedule.id)
  const keys = new Set(mine.map(keyOf))
  const times = new Set(firesOf(schedule, schedule.made - EVERY_MS, Date.now()).map(isoTime))
  return [
    ...dueTimes(schedule).flatMap((key) => (keys.has(key) ? [] : [`no firing: ${key}`])),
    ...mine.flatMap((firing) => {
      const its = started.filter((run) => keyOf(run) === keyOf(firing))
      const wanted = firing.outcome === 'started' ? 1 : 0
      const nominal = Date.parse(firing.nominal_at)
      return [
        ...(its.length === wanted && its.every((run) => run.id === firing.run_id) ? [] : [`${its.length} runs`]),
        ...(times.has(isoTime(nominal)) ? [] : ['not a time of the schedule']),
        ...(wanted === 1 && nominal > schedule.ended ? ['started after the end'] : []),
        ...(wanted === 1 || isLawful(firing, schedule, started) ? [] : ['no run and no lawful reason']),
      ].map((fault) => `${fault}: ${JSON.stringify(firing)}`)
    }),
    ...started.flatMap((run) => (keys.has(keyOf(run)) ? [] : [`a run without a firing: ${run.id}`])),
    ...started.flatMap(({ provenance: { trigger, actor } }) =>
      trigger['type'] === 'schedule' && trigger['name'] === schedule.name && actor['id'] === schedule.id
        ? []
        : [`provenance: ${JSON.stringify({ trigger, actor })}`],
    ),
  ]
}

/** The end of the schedule stands between a time and its run, or an earlier time whose run a dead worker has held up. */
function isLawful({ outcome, reason, nominal_at, actual_at }: Firing, { ending }: Stormed, runs: Run[]): boolean {
  if (outcome !== 'skipped') return false
  if (reason === 'paused' || reason === 'deleted') return Date.parse(actual_at) >= ending
  const wasWaiting = (run: Run) =>
    Date.parse(run.nominal_at) < Date.parse(nominal_at) && Date.parse(run.created_at) > Date.parse(actual_at)
  return reason === 'queue_full' && runs.some(wasWaiting)
}

test('20 schedules over three APIs and two workers that are killed: each time has one run, none after a pause or a deletion', async () => {
  const random = seeded(SEED)
  const schedules = await Promise.all(Array.from({ length: SCHEDULES }, (_, index) => make(index)))
  const begin = Date.now()
  const endings = schedules.map((schedule, index) => {
    const early = random() * 16_000 + 4_000
    const within_ms = random() * 400
    if (index >= 10) return moment(begin + STORM_MS).then(() => end(schedule, Date.now(), within_ms, 'pause'))
    return end(schedule, begin + early, within_ms, index % 2 === 0 ? 'pause' : 'delete')
  })
  await Promise.all([kills(random, begin), ...endings])
  await calm(schedules)

  const [firings, runs] = await Promise.all([readFirings(), readRuns()])
  expect(schedules.flatMap((schedule) => faultsOf(schedule, firings, runs))).toEqual([])
  expect(new Set(runs.map(keyOf)).size).toBe(runs.length)
  // each time has its firing; on a busy machine some of them find the run before still at work
  expect(firings.length).toBeGreaterThan(SCHEDULES)
  expect(runs.length).toBeGreaterThan(SCHEDULES / 2)
})
