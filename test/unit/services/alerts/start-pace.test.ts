import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Pressure } from '#services/alerts/flood-gauge.ts'
import { createStartPace } from '#services/alerts/start-pace.ts'

let pressed: Pressure
let begun: number
let finish: (() => void)[]
let failures: unknown[]
let held: { runs: string[]; at: number }[]

beforeEach(() => {
  vi.useFakeTimers()
  pressed = 'none'
  begun = 0
  finish = []
  failures = []
  held = []
})
afterEach(() => {
  // first the spy: it would leave the fake timer behind
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const later = (work: () => Promise<void>) => void work().catch((error: unknown) => failures.push(error))
const runs = { holdStarts: async (ids: string[]) => void held.push({ runs: ids, at: performance.now() }) }
const ctx = { later, runs }
const work = () => {
  begun += 1
  return new Promise<void>((resolve) => finish.push(resolve))
}

function ask(count: number): void {
  const soon = createStartPace(() => pressed)(ctx)
  for (let n = 0; n < count; n += 1) soon(work, `run_${n}`)
}

test('without a flood runs start at once, four at a time, and every one of them starts', async () => {
  ask(40)
  expect(begun).toBe(4)
  while (finish.length > 0) {
    finish.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(begun).toBe(40)
})

test('in a flood one starts every 100 ms, and when it ebbs all that waited', async () => {
  pressed = 'flood'
  ask(12)
  expect(begun).toBe(0)
  await vi.advanceTimersByTimeAsync(300)
  expect(begun).toBe(3)
  pressed = 'none'
  await vi.advanceTimersByTimeAsync(100)
  while (finish.length > 0) {
    finish.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(begun).toBe(12)
})

test('under overload one starts every second, and once it is a mere flood again the next 100 ms later', async () => {
  pressed = 'overload'
  ask(12)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(begun).toBe(3)
  pressed = 'flood'
  await vi.advanceTimersByTimeAsync(100)
  expect(begun).toBe(4)
})

test('what waits in a flood is held, and after fifteen seconds left to the sweep', async () => {
  pressed = 'flood'
  const began = performance.now()
  ask(200)
  await vi.advanceTimersByTimeAsync(18_000)
  expect(held[0]?.runs).toContain('run_199')
  expect(held[0]?.runs).not.toContain('run_0')
  // each renewal comes before the hold of the one before it ends
  const times = [began, ...held.map(({ at }) => at)]
  expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeLessThan(2_000)
  expect((times.at(-1) ?? 0) - began).toBeGreaterThan(13_000)
  expect((times.at(-1) ?? 0) - began).toBeLessThan(15_000)
})

test('a start that fails holds up nobody', async () => {
  const soon = createStartPace(() => pressed)(ctx)
  soon(() => Promise.reject(new Error('the engine is away')))
  for (let n = 0; n < 4; n += 1) soon(work)
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toBe(4)
  expect(failures).toHaveLength(1)
})

test('nothing keeps a process alive that has nothing else to do', () => {
  pressed = 'flood'
  const timer = vi.spyOn(globalThis, 'setTimeout')
  ask(1)
  const [started] = timer.mock.results
  expect(started?.value.hasRef()).toBe(false)
})
