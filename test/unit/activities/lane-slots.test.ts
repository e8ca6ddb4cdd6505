import { expect, test } from 'vitest'
import { createSlots } from '#activities/run/lane-slots.ts'

const never = new AbortController().signal

function slotsOf(limit: number) {
  let now = 0
  const slots = createSlots(limit, () => now)
  const pass = (ms: number) => {
    now += ms
  }
  return { ...slots, pass }
}

/** Whether a promise is settled by now, when everything that is due has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const waits = Symbol('waits')
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, waits))])) !== waits
}

test('local executions and those that were handed over have one limit together', async () => {
  const { takeFree, take } = slotsOf(2)
  const local = takeFree()
  expect(await take(never)).toBeDefined()
  expect(takeFree()).toBeUndefined()
  const waits = take(never)
  expect(await isSettled(waits)).toBe(false)
  local?.release()
  expect(await waits).toBeDefined()
  expect(takeFree()).toBeUndefined()
})

test('a local execution passes nobody in line: it finds a slot only some time after all that could be handed over was', async () => {
  const { takeFree, take, pass } = slotsOf(2)
  const handed = [await take(never), await take(never)]
  for (const slot of handed) slot?.release()
  expect(takeFree()).toBeUndefined()
  pass(99)
  expect(takeFree()).toBeUndefined()
  pass(1)
  expect(takeFree()).toBeDefined()
})

test('local executions alone leave no line behind them', () => {
  const { takeFree } = slotsOf(1)
  for (let n = 0; n < 3; n += 1) {
    const slot = takeFree()
    expect(slot).toBeDefined()
    expect(takeFree()).toBeUndefined()
    slot?.release()
  }
})

test('an execution that is told to stop while it waits leaves its place to the next', async () => {
  const { takeFree, take } = slotsOf(1)
  const local = takeFree()
  const stopping = new AbortController()
  const first = take(stopping.signal)
  const second = take(never)
  stopping.abort()
  expect(await first).toBeUndefined()
  local?.release()
  expect(await second).toBeDefined()
  expect(await take(stopping.signal)).toBeUndefined()
})
