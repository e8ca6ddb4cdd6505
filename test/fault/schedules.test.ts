import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { engineCalendars, engineInstants } from '#core/schedule/engine-spec.ts'
import { isFire, nextFires } from '#core/schedule/next-fires.ts'
import type { Schedule } from '#core/schedule/schema.ts'
import { createIds } from '#platform/ids.ts'
import { createTemporalSchedules } from '#platform/schedules/temporal-schedules.ts'
import { freePort } from '#test/support/free-ports.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/schedules', import.meta.url))
const HOME = 'ws_00000000000000000000000000'
const SECOND = '* * * * * *'

let service: TestService
let workers: ChildProcess[]
let names = 0

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: PACKS },
    workers: 0,
    files: {
      'schedules/mine.yaml': '- { name: replaced, cron: "@monthly", pack: clock, template: tick, overlap: queue }\n',
    },
  })
  const second = freePort().then((port) => service.startApi({ SVC_PORT: String(port) }))
  workers = await Promise.all([service.startWorker(), service.startWorker()])
  await second
})
afterAll(() => service?.stop())

async function make(fields: Record<string, unknown> = {}): Promise<Schedule> {
  names += 1
  const draft = { name: `every-${names}`, cron: SECOND, pack: 'clock', template: 'tick', ...fields }
  const { status, body } = await service.call<Schedule>('POST', '/triggers/scheduled', draft)
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

interface Firing {
  nominal_at: string
  outcome: string
  reason: string | null
  run_id: string | null
}
const firings = (id: string) =>
  service.database.db<Firing[]>`
    select nominal_at, outcome, reason, run_id from schedule_firings where schedule_id = ${id} order by nominal_at`
const runsOf = (id: string) =>
  service.database.db<
    { id: string; nominal_at: string; provenance: Record<string, unknown>; lane: string; status: string }[]
  >`
    select id, lane, status, provenance, provenance #>> '{trigger,nominal_at}' as nominal_at from runs
    where provenance #>> '{trigger,schedule_id}' = ${id} order by created_at`

/** Looks until it is done; a look that fails, as when the engine is slow to answer, is not there yet. */
async function eventually<Value>(
  look: () => Promise<Value>,
  done: (value: Value) => boolean,
  within_ms = PATIENCE.timeout,
) {
  const there = async () => {
    const value = await look()
    if (!done(value)) throw new Error(`it did not happen: ${JSON.stringify(value)}`)
    return value
  }
  return await vi.waitFor(there, { timeout: within_ms, interval: 50 })
}
const started = (rows: Firing[]) => rows.filter((row) => row.outcome === 'started')
const remove = (id: string) => service.call('DELETE', `/triggers/scheduled/${id}`)
const inspect = (id: string) => createTemporalSchedules(service.temporal).inspect({ id, workspace_id: HOME })

describe('a schedule that fires every second', () => {
  test('starts exactly one run per nominal time, also while a worker is killed, until it is paused and deleted', async () => {
    const schedule = await make()
    expect(schedule.sync).toBe('synced')
    await eventually(
      () => firings(schedule.id),
      (rows) => started(rows).length >= 2,
    )
    const [victim] = workers
    victim?.kill('SIGKILL')
    if (victim) await once(victim, 'exit')
    workers = [...workers.slice(1), await service.startWorker()]
    const before = (await firings(schedule.id)).length
    await eventually(
      () => firings(schedule.id),
      (rows) => started(rows.slice(before)).length >= 4,
    )

    expect((await service.call('PATCH', `/triggers/scheduled/${schedule.id}`, { state: 'paused' })).status).toBe(200)
    await eventually(
      () => inspect(schedule.id),
      (state) => state?.paused === true,
    )
    const settled = await eventually(
      () => firings(schedule.id),
      (rows) => rows.every((row) => row.outcome !== 'claimed' && row.outcome !== 'waiting'),
    )
    const runs = await runsOf(schedule.id)
    expect(new Set(runs.map((run) => run.nominal_at)).size).toBe(runs.length)
    expect(runs.map((run) => run.id).sort()).toEqual(
      started(settled)
        .map((row) => row.run_id)
        .sort(),
    )
    // every second has its one row, from the first tick to the last
    const seconds = settled.map((row) => Date.parse(row.nominal_at))
    expect(seconds.slice(1).map((at, index) => at - (seconds[index] ?? 0))).toEqual(seconds.slice(1).map(() => 1_000))
    const [run] = runs
    expect(run).toMatchObject({
      lane: 'background',
      provenance: {
        trigger: { type: 'schedule', schedule_id: schedule.id, name: schedule.name, source: 'console' },
        actor: { type: 'schedule', id: schedule.id },
        human_root: { user_id: 'usr_local', via: [schedule.id] },
      },
    })

    const count = (await runsOf(schedule.id)).length
    expect((await service.call('PATCH', `/triggers/scheduled/${schedule.id}`, { enabled: true })).status).toBe(200)
    await eventually(
      () => runsOf(schedule.id),
      (rows) => rows.length > count,
    )
    expect((await remove(schedule.id)).status).toBe(204)
    expect(await inspect(schedule.id)).toBeUndefined()
    const last = await eventually(
      () => firings(schedule.id),
      (rows) => rows.every((row) => row.outcome !== 'claimed'),
    )
    const other = await make()
    await eventually(
      () => firings(other.id),
      (rows) => started(rows).length >= 2,
    )
    expect((await runsOf(schedule.id)).length).toBe(started(last).length)
    await remove(other.id)
  })

  test.each([
    ['skip', 'skipped', 'overlap'],
    ['queue', 'skipped', 'queue_full'],
  ])('with overlap %s does not start a second run beside the first', async (overlap, outcome, reason) => {
    const schedule = await make({ overlap, inputs: { for: '2500ms' } })
    const rows = await eventually(
      () => firings(schedule.id),
      (each) => started(each).length >= 2 && each.some((row) => row.reason === reason),
    )
    expect(rows.find((row) => row.reason === reason)?.outcome).toBe(outcome)
    const spans = await service.database.db<{ overlapping: number }[]>`
      select count(*) as overlapping from runs a join runs b on a.id < b.id
        and b.created_at < coalesce(a.ended_at, 'infinity') and b.created_at > a.created_at
      where a.provenance #>> '{trigger,schedule_id}' = ${schedule.id}
        and b.provenance #>> '{trigger,schedule_id}' = ${schedule.id}`
    expect(spans).toEqual([{ overlapping: 0 }])
    await remove(schedule.id)
  })

  test('with overlap cancel_previous ends the run before and then starts', async () => {
    const schedule = await make({ overlap: 'cancel_previous', inputs: { for: '1h' } })
    const runs = await eventually(
      () => runsOf(schedule.id),
      (rows) => rows.length >= 2,
    )
    expect(runs[0]?.status).toBe('cancelled')
    await remove(schedule.id)
    for (const run of await runsOf(schedule.id)) await service.call('POST', `/runs/${run.id}/cancel`, {})
  })
})

describe('layers', () => {
  test('what a pack and a file declare are schedules, and the file stands over the pack', async () => {
    const listed = await service.until<Schedule[]>('/triggers/scheduled', (rows) =>
      ['yearly', 'replaced'].every((name) => rows.some((row) => row.name === name && row.sync === 'synced')),
    )
    expect(listed.find((row) => row.name === 'yearly')).toMatchObject({ source: 'pack', cron: '@yearly' })
    expect(listed.filter((row) => row.name === 'replaced')).toMatchObject([{ source: 'overlay', overlap: 'queue' }])
  })
})

describe('the engine', () => {
  test('that has drifted is brought back to the table when the workers start again', async () => {
    const engine = createTemporalSchedules(service.temporal)
    const [paused, gone, stays] = [
      await make({ cron: '@yearly' }),
      await make({ cron: '@yearly' }),
      await make({ cron: '@yearly', enabled: false }),
    ]
    await service.temporal.schedule.getHandle(`${HOME}/${paused.id}`).pause('by hand')
    await engine.remove({ id: gone.id, workspace_id: HOME })
    await service.temporal.schedule.getHandle(`${HOME}/${stays.id}`).unpause('by hand')
    const orphan = { id: createIds().next('schedule'), workspace_id: HOME }
    const rule = compileSchedule({ cron: '@yearly', timezone: 'UTC', dst: { gap: 'skip', fold: 'first' } }, Date.now())
    const calendars = engineCalendars(rule)
    await engine.put({
      ...orphan,
      name: 'orphan',
      timezone: 'UTC',
      calendars,
      instants: [],
      jitter_s: 0,
      catchup_ms: 60_000,
      paused: true,
      note: '',
    })
    await eventually(engine.list, (keys) => keys.some((key) => key.id === orphan.id))

    // the engine had dropped what it was still to make up for: nothing ticked for these times
    const lost = await make({ cron: '*/20 * * * *', catchup: 'all' })
    const [{ since } = expect.unreachable()] = await service.database.db<{ since: string }[]>`
      update schedules set accounted_until = now() - interval '50 minutes' where id = ${lost.id} returning accounted_until as since`
    const every20 = compileSchedule(
      { cron: lost.cron, timezone: 'UTC', dst: { gap: 'skip', fold: 'first' } },
      Date.now(),
    )
    const times = nextFires(every20, Date.parse(since), 2)

    const ended = workers.map((worker) => once(worker, 'exit'))
    for (const worker of workers) worker.kill('SIGTERM')
    await Promise.all(ended)
    await service.startWorker()
    await eventually(
      () => firings(lost.id),
      (rows) => rows.filter(({ outcome }) => outcome === 'started').length >= times.length,
    )
    const made = (await runsOf(lost.id)).map((run) => Date.parse(run.nominal_at))
    expect(made.slice(0, times.length)).toEqual(times)
    expect(new Set(made).size).toBe(made.length)
    await eventually(
      async () => {
        const states = await Promise.all([paused, gone, stays].map(({ id }) => inspect(id)))
        return [...states.map((state) => state?.paused), await inspect(orphan.id)]
      },
      ([one, two, three, four]) => one === false && two === false && three === true && four === undefined,
    )
  })

  test.each([
    ['30 2 25-31 3,10 SUN', 'Europe/Berlin'],
    ['0,30 2 25-31 3,10 SUN', 'Europe/Berlin'],
    ['15 1,2 1-14 3,11 SUN', 'America/New_York'],
    ['10,40 1,2 1-7 4,10 SUN', 'Australia/Lord_Howe'],
    ['*/30 * 25-31 3,10 SUN', 'Europe/Berlin'],
    ['10 * 28,31 3,10 *', 'Europe/Berlin'],
    ['20 0 */2 28,31 3,10 *', 'Europe/Berlin'],
    ['*/20 * 1-14 3,11 SUN', 'America/New_York'],
    ['*/10 * 1-7 4,10 SUN', 'Australia/Lord_Howe'],
    ['0 30 2 29 3 * ', 'Europe/Berlin'],
  ])('ticks at every fire of %s in %s, and otherwise at times that are dropped', async (cron, timezone) => {
    const engine = createTemporalSchedules(service.temporal)
    const now = Date.now()
    const rule = compileSchedule(
      { cron: cron.trim(), timezone, days: 'and', dst: { gap: 'run_at_end', fold: 'first' } },
      now,
    )
    const key = { id: createIds().next('schedule'), workspace_id: HOME }
    const spec = { timezone, calendars: engineCalendars(rule), instants: engineInstants(rule, now) }
    const shape = { name: 'mapping', ...spec, jitter_s: 0, catchup_ms: 60_000, paused: false, note: '' }
    // every call of this port is safe to repeat, and has a deadline that a busy engine may miss
    const patient = <Value>(call: () => Promise<Value>) => vi.waitFor(call, PATIENCE)
    await patient(() => engine.put({ ...key, ...shape }))
    const ticks = (await patient(() => engine.inspect(key)))?.next ?? []
    await patient(() => engine.remove(key))
    expect(ticks.length).toBeGreaterThan(1)
    const horizon = Math.min(ticks.at(-1) ?? 0, now + 395 * 86_400_000)
    const kept = ticks.filter((at) => at <= horizon && isFire(rule, at))
    expect(kept).toEqual(nextFires(rule, now, 20).filter((at) => at <= horizon))
  })
})
