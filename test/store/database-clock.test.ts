import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { LEASE_MS } from '#core/lease/lease.ts'
import { createDb } from '#store/db.ts'
import { createDatabaseClock } from '#store/sql/database-clock.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { settableClock } from '#test/support/wrong-clocks.ts'

const HOUR_MS = 3_600_000
/** some machines are slow */
const LOCAL_MS = 500

const database = testDatabase()
const shown = fileFixture(() => settableClock(database))
const db = fileFixture(() => createDb(database.url, { max: 2 }))
afterEach(() => shown.set(0))

async function startClock(every_ms = 50) {
  const clock = await createDatabaseClock(db, { every_ms })
  onTestFinished(clock.close)
  return clock
}

async function databaseTime(): Promise<number> {
  const [row] = await db<{ now: string }[]>`select clock_timestamp() as now`
  return Date.parse(row?.now ?? '')
}

test.each([-HOUR_MS, 0, HOUR_MS])('shows the time of a database that is %i ms off', async (off_ms) => {
  await shown.set(off_ms)
  const clock = await startClock()
  expect(Math.abs(clock.now() - (await databaseTime()))).toBeLessThan(LOCAL_MS)
})

test.each([-HOUR_MS, HOUR_MS])('goes on alike when the clock of this process jumps by %i ms', async (jump) => {
  const clock = await startClock()
  const { now } = Date
  vi.spyOn(Date, 'now').mockImplementation(() => now() + jump)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(Math.abs(clock.now() - (await databaseTime()))).toBeLessThan(LOCAL_MS)
})

test.each([-HOUR_MS, HOUR_MS])('follows a database whose clock jumps by %i ms', async (jump) => {
  const clock = await startClock()
  await shown.set(jump)
  await vi.waitFor(async () => expect(Math.abs(clock.now() - (await databaseTime()))).toBeLessThan(LOCAL_MS), PATIENCE)
})

test('goes on by itself while the database is away', async () => {
  const away = createDb(database.url, { max: 1 })
  const clock = await createDatabaseClock(away, { every_ms: 20 })
  onTestFinished(clock.close)
  await away.end({ timeout: 1 })
  const before = clock.now()
  await vi.waitFor(() => expect(clock.now()).toBeGreaterThan(before + 200), PATIENCE)
  expect(Math.abs(clock.now() - (await databaseTime()))).toBeLessThan(LOCAL_MS)
})

test('a lease of before the clock was set back is free after one lease, and not at once', async () => {
  await shown.set(HOUR_MS)
  const take = async (holder: string) => {
    const [row] = await db<{ epoch: number | null }[]>`select take_lease('one', ${holder}, ${LEASE_MS}) as epoch`
    return row?.epoch ?? undefined
  }
  expect(await take('gone')).toBe(1)
  await shown.set(0)
  const set_back_at = performance.now()
  expect(await take('next')).toBeUndefined()
  expect(await vi.waitUntil(() => take('next'), { timeout: 3 * LEASE_MS, interval: 100 })).toBe(2)
  expect(performance.now() - set_back_at).toBeGreaterThan(LEASE_MS - LOCAL_MS)
})

test('a holder that lives keeps its lease when the clock is set back', async () => {
  await shown.set(HOUR_MS)
  const ask = (statement: Promise<{ answer: unknown }[]>) => statement.then(([row]) => row?.answer ?? undefined)
  const take = (holder: string) => ask(db`select take_lease('two', ${holder}, ${LEASE_MS}) as answer`)
  const renew = () => ask(db`select renew_leases('lives', '{two}', '{1}', ${LEASE_MS}) as answer`)
  expect(await take('lives')).toBe(1)
  await shown.set(0)
  expect([await take('other'), await renew(), await take('other')]).toEqual([undefined, 'two', undefined])
})
