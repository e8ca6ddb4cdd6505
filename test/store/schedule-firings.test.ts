import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { purgeScheduleFirings } from '#store/schedules/schedule-firings.ts'
import { createScheduleStore, type ScheduleStore } from '#store/schedules/schedules.ts'
import { unscoped } from '#store/tenant-db.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { ids } from '#test/support/run-drafts.ts'

const DAYS = 86_400_000
let store: ScheduleStore
let names = 0

const database = testDatabase()
beforeAll(async () => {
  store = createScheduleStore(database.db, unscoped(database.db))
})

const draft = (fields: { name?: string; source?: 'overlay' | 'pack'; cron?: string } = {}) => {
  names += 1
  return {
    id: ids.next('schedule'),
    workspace_id: DEFAULT_WORKSPACE_ID,
    name: `s-${names}`,
    source: 'overlay' as const,
    cron: '@daily',
    timezone: 'UTC',
    days: null,
    pack: 'test',
    template: 'nothing',
    inputs: {},
    dry_run: false,
    profile: null,
    environment: null,
    config_preset: null,
    preset_version: null,
    enabled: true,
    catchup: 'none' as const,
    overlap: 'skip' as const,
    jitter_s: 0,
    dst: { gap: 'run_at_end' as const, fold: 'first' as const },
    created_by: null,
    made_through: null,
    ...fields,
  }
}

/** Firings of a schedule so many days ago. */
async function fired(id: string, firings: Record<number, string>): Promise<void> {
  for (const [days, outcome] of Object.entries(firings)) {
    const run_id = ['started', 'claimed'].includes(outcome) ? ids.next('run') : null
    await database.db`
      insert into schedule_firings (schedule_id, nominal_at, workspace_id, run_id, outcome)
      values (${id}, now() - ${Number(days)} * interval '1 day', ${DEFAULT_WORKSPACE_ID}, ${run_id}, ${outcome})`
  }
}
async function left(id: string): Promise<string[]> {
  const rows = await database.db<{ left: string }[]>`
    select round(extract(epoch from now() - nominal_at) / 86400) || ' ' || outcome as left from schedule_firings
    where schedule_id = ${id} order by nominal_at`
  return rows.map((row) => row.left)
}

test('firings past their time are forgotten, but never the last of a schedule, its last run, or what is open', async () => {
  const [busy, silent, refused] = [draft(), draft(), draft()]
  for (const each of [busy, silent, refused]) await store.declare(each)
  await fired(busy.id, { 100: 'started', 95: 'waiting', 92: 'claimed', 91: 'missed', 89: 'started', 1: 'started' })
  await fired(silent.id, { 400: 'started', 300: 'started' })
  await fired(refused.id, { 300: 'started', 200: 'started', 150: 'denied', 100: 'denied' })
  expect(await purgeScheduleFirings(database.db, 90 * DAYS)).toBe(5)
  expect(await left(busy.id)).toEqual(['95 waiting', '92 claimed', '89 started', '1 started'])
  expect(await left(silent.id)).toEqual(['300 started'])
  expect(await left(refused.id)).toEqual(['200 started', '100 denied'])
  expect(await purgeScheduleFirings(database.db, 90 * DAYS)).toBe(0)
})

test('the service itself may forget firings', async () => {
  const { id, ...rest } = draft()
  await store.declare({ id, ...rest })
  await fired(id, { 200: 'missed', 100: 'missed' })
  const [row] = await database.db<{ user: string }[]>`select current_user as user`
  expect(row?.user).toBe('svc_app')
  expect(await purgeScheduleFirings(database.db, 90 * DAYS)).toBe(1)
})

test('what is not declared any more is withdrawn, except from sources that cannot be read', async () => {
  const [gone, kept] = [draft({ source: 'pack' }), draft()]
  for (const each of [gone, kept]) await store.declare(each)
  const undeclared = async (keys: string[], spared: 'overlay'[]) =>
    (await store.undeclared(keys, spared)).map(({ id }) => id)
  expect(await undeclared([], ['overlay'])).toContain(gone.id)
  expect(await undeclared([], ['overlay'])).not.toContain(kept.id)
  expect(await undeclared([], [])).toContain(kept.id)
  expect(await undeclared([`${DEFAULT_WORKSPACE_ID}|overlay|${kept.name}`], [])).not.toContain(kept.id)
  await store.withdraw([gone.id])
  expect((await store.find(gone.id))?.deleted_at).not.toBeNull()
  expect((await store.find(kept.id))?.deleted_at).toBeNull()
  expect(await undeclared([], [])).not.toContain(gone.id)
})

test('a schedule answers for its times from its last change on, also when the one that stood over it is withdrawn', async () => {
  const below = draft({ source: 'pack' })
  const above = draft({ name: below.name })
  for (const each of [below, above]) await store.declare(each)
  const age = () => database.db`update schedules set accounted_until = now() - interval '1 day'`
  const answersFromNow = async (id: string) =>
    Date.now() - Date.parse((await store.find(id))?.accounted_until ?? '') < 60_000
  await age()
  expect(await store.toBeChanged(below)).toBeUndefined()
  await store.declare(below)
  expect(await answersFromNow(below.id)).toBe(false)
  expect(await store.toBeChanged({ ...below, cron: '@weekly' })).toMatchObject({ cron: '@daily', in_force: false })
  await store.declare({ ...below, cron: '@weekly' })
  expect(await answersFromNow(below.id)).toBe(true)
  await age()
  await store.withdraw([above.id])
  expect(await answersFromNow(below.id)).toBe(true)
})

test('a schedule that has changed since is not accounted for by its old rule', async () => {
  const schedule = draft()
  await store.declare(schedule)
  const missed = [{ nominal_at: '2026-01-01T00:00:00.000Z', outcome: 'missed' as const, reason: 'late' }]
  expect(await store.recordPassed({ id: schedule.id, version: 2 }, missed)).toBe(0)
  expect(await store.recordPassed({ id: schedule.id, version: 1 }, missed)).toBe(1)
  expect(await store.recordPassed({ id: schedule.id, version: 1 }, missed)).toBe(0)
  expect((await store.find(schedule.id))?.last_fire).toMatchObject({ outcome: 'missed', reason: 'late' })
  const times = ['2025-12-31T00:00:00.000Z', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z']
  expect(await store.without(schedule.id, times)).toEqual([times[0], times[2]])
})
