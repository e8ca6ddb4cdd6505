import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createInboxLoop } from '#api/inbox-loop.ts'

let held: boolean
let away: boolean
let free: boolean
let lost: () => void
let drained: number
let loop: ReturnType<typeof createInboxLoop>

beforeEach(() => {
  vi.useFakeTimers()
  held = false
  away = false
  free = true
  drained = 0
  loop = createInboxLoop({
    async lead(onLost) {
      if (!free) return undefined
      held = true
      lost = () => {
        held = false
        onLost()
      }
      return {
        held: () => held,
        release: async () => {
          held = false
        },
      }
    },
    async drain(leading) {
      if (leading()) drained += 1
      return 0
    },
    away: () => away,
    log: { info: () => undefined, warn: () => undefined },
  })
})
afterEach(async () => {
  await loop.stop()
  vi.useRealTimers()
})

test('nothing is drained while another process has the lease, and it is taken over when that one is gone', async () => {
  free = false
  loop.start()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(drained).toBe(0)
  free = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect(drained).toBeGreaterThan(0)
})

test('nothing is tried while the engine is away', async () => {
  away = true
  loop.start()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(drained).toBe(0)
  away = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(drained).toBe(1)
})

test('a lost lease is taken again', async () => {
  loop.start()
  await vi.advanceTimersByTimeAsync(1_000)
  lost()
  const before = drained
  await vi.advanceTimersByTimeAsync(1_000)
  expect(held).toBe(true)
  expect(drained).toBeGreaterThan(before)
})

test('what wakes it is not kept waiting for the next round', async () => {
  loop.start()
  await vi.advanceTimersByTimeAsync(0)
  const before = drained
  loop.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(drained).toBe(before + 1)
})

test('stopping gives the lease back', async () => {
  loop.start()
  await vi.advanceTimersByTimeAsync(0)
  await loop.stop()
  expect(held).toBe(false)
})
