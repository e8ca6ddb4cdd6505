import { afterEach, expect, test } from 'vitest'
import { createLaneSlots, type LaneSlots } from '#store/lane-slots.ts'
import { testDatabase } from '#test/support/file-fixture.ts'

const A = 'ws_0000000000000000000000000a'
const B = 'ws_0000000000000000000000000b'
let workers: LaneSlots[] = []

const database = testDatabase()
afterEach(async () => {
  for (const worker of workers) await worker.close()
  workers = []
})

function worker(): LaneSlots {
  const one = createLaneSlots(database.url)
  workers.push(one)
  return one
}

test('many workers together never hold more than the limit, and use all of it', async () => {
  const three = [worker(), worker(), worker()]
  let running = 0
  let most = 0
  let done = 0
  const work = async (slots: LaneSlots) => {
    while (done < 120) {
      const slot = await slots.take(A, 'realtime', 4)
      if (slot === undefined) continue
      running += 1
      most = Math.max(most, running)
      await database.db`select 1`
      running -= 1
      done += 1
      await slot.release()
    }
  }
  await Promise.all(three.flatMap((slots) => [work(slots), work(slots), work(slots)]))
  expect(most).toBe(4)
})

test('a limit belongs to one workspace in one lane', async () => {
  const slots = worker()
  expect(await slots.take(A, 'realtime', 1)).toBeDefined()
  expect(await slots.take(A, 'realtime', 1)).toBeUndefined()
  expect(await slots.take(A, 'background', 1)).toBeDefined()
  expect(await slots.take(B, 'realtime', 1)).toBeDefined()
})

test('a slot that was given back can be taken again, and giving it back twice frees no other', async () => {
  const [one, two] = [worker(), worker()]
  const first = await one.take(A, 'background', 1)
  expect(await two.take(A, 'background', 1)).toBeUndefined()
  await first?.release()
  expect(await two.take(A, 'background', 1)).toBeDefined()
  await first?.release()
  expect(await one.take(A, 'background', 1)).toBeUndefined()
})

test('the slots of a worker that is gone fall with its connection', async () => {
  const [dying, other] = [worker(), worker()]
  await dying.take(B, 'background', 1)
  expect(await other.take(B, 'background', 1)).toBeUndefined()
  await dying.close()
  await expect.poll(() => other.take(B, 'background', 1)).toBeDefined()
})

test('after its connection was cut, a worker goes on taking slots, and an old slot frees nobody', async () => {
  const slots = worker()
  const lost = await slots.take(A, 'realtime', 1)
  await database.db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'svc-lane-slots' and datname = current_database()`
  await expect.poll(() => slots.take(A, 'realtime', 1).catch(() => undefined)).toBeDefined()
  await lost?.release()
  expect(await worker().take(A, 'realtime', 1)).toBeUndefined()
})

test('a worker that limits nothing opens no connection', async () => {
  worker()
  const open = await database.db`
    select 1 from pg_stat_activity where application_name = 'svc-lane-slots' and datname = current_database()`
  expect(open).toHaveLength(0)
})
