import { beforeEach, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import { CreatedSchedule, type DeclaredSchedule, ScheduleDraft } from '#core/schedule/schema.ts'
import { declareSchedules } from '#services/schedules/declare-schedules.ts'
import { fireSchedule } from '#services/schedules/fire-schedule.ts'
import { recordMissed } from '#services/schedules/record-passed.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createRecordDeps } from '../support/record-engine.ts'
import { storeAt } from '../support/schedule-store.ts'

const RECOVERED = '2026-03-28T12:00:20Z'
let names = 0
let now = Date.parse(RECOVERED)

const database = testDatabase()
const api = testApi(database, { services: { clock: () => now } })
beforeEach(() => {
  now = Date.parse(RECOVERED)
})

/** A schedule of every minute that was last seen to at `since`. */
async function make(fields: object, since: string): Promise<string> {
  names += 1
  const draft = { name: `s-${names}`, cron: '* * * * *', pack: 'incident', template: 'service-recovery', ...fields }
  const { id } = CreatedSchedule.parse(await (await api.post('/triggers/scheduled', draft)).json())
  await database.db`update schedules set accounted_until = ${since} where id = ${id}`
  return id
}
const at = (time: string) => `2026-03-28T${time}Z`
const fire = (schedule_id: string, time: string) =>
  fireSchedule(
    {
      services: api.deps.services,
      store: storeAt(api.deps.reads.schedules.store, () => now),
      workspaces: api.deps.workspaces,
      claims: createRecordDeps(database.db),
    },
    { schedule_id, workspace_id: DEFAULT_WORKSPACE_ID, nominal_at: at(time) },
  )
const firings = async (id: string) => {
  const rows = await database.db<{ nominal_at: string; outcome: string; reason: string | null }[]>`
    select nominal_at, outcome, reason from schedule_firings where schedule_id = ${id} order by schedule_firings.nominal_at`
  return rows.map(({ nominal_at, outcome, reason }) => [nominal_at.slice(11, 19), reason ?? outcome])
}
async function patch(id: string, edit: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'PATCH', body: JSON.stringify(edit), headers }
  return (await api.app.request(`/triggers/scheduled/${id}`, request)).json()
}
async function endRuns(id: string) {
  await database.db`
    update runs set ended_at = now(), status = 'failed', error = '{}'
    where provenance #>> '{trigger,schedule_id}' = ${id} and ended_at is null`
}
async function account(id: string): Promise<number> {
  const { store } = api.deps.reads.schedules
  const row = await store.find(id)
  if (row === undefined) throw new Error('no such schedule')
  return recordMissed({ store, clock: () => now }, row, compileSchedule({ ...row, days: undefined }, now))
}

test('with all, what was missed starts in order, each once, no matter in what order it ticks and what overlaps', async () => {
  const id = await make({ catchup: 'all', overlap: 'skip' }, at('11:56:30'))
  // the last of them is on time by itself, and stands in line all the same
  for (const late of ['12:00:00', '11:58:00', '11:59:00']) {
    expect(await fire(id, late)).toMatchObject({ kind: 'wait' })
  }
  for (const next of ['11:57:00', '11:58:00', '11:59:00', '12:00:00']) {
    expect(await fire(id, next)).toMatchObject({ outcome: 'started' })
    expect(await fire(id, next)).toMatchObject({ outcome: 'started' })
    if (next !== '12:00:00') expect(await fire(id, '12:00:00')).toMatchObject({ kind: 'wait' })
    await endRuns(id)
  }
  const runs = await database.db<{ nominal_at: string }[]>`
    select provenance #>> '{trigger,nominal_at}' as nominal_at from runs
    where provenance #>> '{trigger,schedule_id}' = ${id} order by id`
  expect(runs.map((run) => run.nominal_at)).toEqual(['11:57:00', '11:58:00', '11:59:00', '12:00:00'].map(at))
})

test('with all, a tick that comes on time while others are made up for follows the rule for overlaps', async () => {
  const id = await make({ catchup: 'all', overlap: 'cancel_previous' }, at('11:57:30'))
  expect(await fire(id, '11:58:00')).toMatchObject({ outcome: 'started' })
  expect(await fire(id, '11:59:00')).toMatchObject({ kind: 'wait', look_ms: expect.any(Number) })
  now += 60_000
  expect(await fire(id, '12:01:00')).toMatchObject({ outcome: 'skipped', reason: 'queue_full' })
  const active = await database.db`
    select from runs where provenance #>> '{trigger,schedule_id}' = ${id} and ended_at is null`
  expect(active).toHaveLength(1)
})

test('with all, a time whose tick was lost holds the others up for two minutes at most, and is recorded as missed', async () => {
  const id = await make({ catchup: 'all' }, at('11:57:30'))
  expect(await fire(id, '11:59:00')).toMatchObject({ kind: 'wait' })
  await database.db`
    update schedule_firings set actual_at = now() - interval '3 minutes'
    where schedule_id = ${id} and nominal_at = ${at('11:58:00')}`
  expect(await fire(id, '11:59:00')).toMatchObject({ outcome: 'started' })
  now += 3_600_000
  await account(id)
  expect((await firings(id)).slice(0, 2)).toEqual([
    ['11:58:00', 'catchup_window'],
    ['11:59:00', 'started'],
  ])
})

test('with latest, only the last of what was missed starts', async () => {
  const id = await make({ catchup: 'latest' }, at('11:57:30'))
  for (const late of ['12:00:00', '11:58:00', '11:59:00']) await fire(id, late)
  expect(await firings(id)).toEqual([
    ['11:58:00', 'superseded'],
    ['11:59:00', 'superseded'],
    ['12:00:00', 'started'],
  ])
})

test('what never ticked is recorded as missed once it may not fire any more, and stands on the schedule', async () => {
  const ids = {
    none: await make({}, at('11:57:30')),
    latest: await make({ catchup: 'latest' }, at('11:57:30')),
    all: await make({ catchup: 'all' }, at('10:57:30')),
    paused: await make({ enabled: false }, at('11:57:30')),
  }
  const recorded = Object.fromEntries(
    await Promise.all(Object.entries(ids).map(async ([name, id]) => [name, await account(id)])),
  )
  expect(recorded).toEqual({ none: 2, latest: 2, all: 3, paused: 0 })
  const missed = (reason: string) => ['11:58:00', '11:59:00'].map((time) => [time, reason])
  expect(await firings(ids.none)).toEqual(missed('late'))
  expect(await firings(ids.latest)).toEqual(missed('superseded'))
  expect(await firings(ids.all)).toEqual(['10:58:00', '10:59:00', '11:00:00'].map((time) => [time, 'catchup_window']))
  expect(await account(ids.none)).toBe(0)
  const listed = (await (await api.get('/triggers/scheduled?limit=200')).json()) as { id: string; last_fire?: object }[]
  expect(listed.find((each) => each.id === ids.none)?.last_fire).toMatchObject({
    nominal_at: '2026-03-28T11:59:00.000Z',
    outcome: 'missed',
    reason: 'late',
  })
})

test('what fired is not recorded as missed, nor what passed before the schedule was last changed', async () => {
  const id = await make({}, at('11:57:30'))
  now = Date.parse(at('11:58:30'))
  expect(await fire(id, '11:58:00')).toMatchObject({ outcome: 'started' })
  now = Date.parse(RECOVERED)
  expect(await account(id)).toBe(1)
  expect(await firings(id)).toEqual([
    ['11:58:00', 'started'],
    ['11:59:00', 'late'],
  ])
  const changed = await make({}, at('11:57:30'))
  for (const state of ['paused', 'active']) await patch(changed, { state })
  expect(await account(changed)).toBe(0)
})

test('what has passed without a tick when a schedule is paused is on record: skipped what might have fired, missed what was too late', async () => {
  const id = await make({}, at('11:57:30'))
  expect(await patch(id, { state: 'paused' })).toMatchObject({
    last_fire: { nominal_at: '2026-03-28T12:00:00.000Z', outcome: 'skipped', reason: 'paused' },
  })
  const passed = [
    ['11:58:00', 'late'],
    ['11:59:00', 'late'],
    ['12:00:00', 'paused'],
  ]
  expect(await firings(id)).toEqual(passed)
  expect(await fire(id, '12:00:00')).toMatchObject({ outcome: 'skipped', reason: 'paused' })
  now += 120_000
  await patch(id, { state: 'active' })
  await patch(id, { state: 'paused' })
  expect(await firings(id)).toEqual(passed)
})

test('what stands in line when a schedule is deleted, and what has not ticked, is skipped; what was claimed stays', async () => {
  const id = await make({ catchup: 'all' }, at('11:57:30'))
  expect(await fire(id, '11:58:00')).toMatchObject({ outcome: 'started' })
  expect(await fire(id, '12:00:00')).toMatchObject({ kind: 'wait' })
  now += 60_000
  expect((await api.app.request(`/triggers/scheduled/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect(await firings(id)).toEqual([
    ['11:58:00', 'started'],
    ['11:59:00', 'deleted'],
    ['12:00:00', 'deleted'],
    ['12:01:00', 'deleted'],
  ])
})

test('what has passed without a tick is on record when a file declares its schedule again, and when it does no more', async () => {
  const { services, reads } = api.deps
  const declare = (...declared: DeclaredSchedule[]) =>
    declareSchedules({
      ...services,
      store: reads.schedules.store,
      workspaces: api.deps.workspaces,
      declared: () => declared,
      unread: () => [],
      log: { warn: (fields) => expect.fail(JSON.stringify(fields)) },
    })
  const draft = { name: 'declared', cron: '* * * * *', pack: 'incident', template: 'service-recovery' }
  const declared = { ...ScheduleDraft.parse(draft), source: 'overlay' as const, origin: 'mine.yaml' }
  await declare(declared)
  const [row] = await database.db<{ id: string }[]>`select id from schedules where name = 'declared'`
  const id = row?.id ?? ''
  const look = (since: string) => database.db`update schedules set accounted_until = ${since} where id = ${id}`
  await look(at('11:59:30'))
  await declare(declared)
  expect(await firings(id)).toEqual([])
  await declare({ ...declared, cron: '*/2 * * * *' })
  expect(await firings(id)).toEqual([['12:00:00', 'changed']])
  await look(at('12:00:30'))
  now = Date.parse(at('12:04:10'))
  await declare()
  expect(await firings(id)).toEqual([
    ['12:00:00', 'changed'],
    ['12:02:00', 'late'],
    ['12:04:00', 'deleted'],
  ])
  expect(await reads.schedules.store.find(id)).toMatchObject({ last_fire: { reason: 'deleted' } })
})
