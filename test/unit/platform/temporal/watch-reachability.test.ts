import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchReachability } from '#platform/temporal/watch-reachability.ts'

let answers: boolean
let watched: ReturnType<typeof watchReachability>
const logged: string[] = []
const note = (_fields: object, message: string) => void logged.push(message)

beforeEach(() => {
  vi.useFakeTimers()
  answers = true
  logged.length = 0
  watched = watchReachability({
    ping: async () => {
      if (!answers) throw new Error('no answer')
    },
    log: { info: note, warn: note },
  })
})
afterEach(() => {
  watched.close()
  vi.useRealTimers()
})

test('until it is known to be away, the engine counts as there', () => {
  answers = false
  expect(watched.away()).toBe(false)
})

test('one missed answer is no absence, two are', async () => {
  answers = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(watched.away()).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(watched.away()).toBe(true)
})

test('one answer ends an absence; each turn is said once', async () => {
  answers = false
  await vi.advanceTimersByTimeAsync(5_000)
  answers = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(watched.away()).toBe(false)
  expect(logged).toEqual(['the workflow engine does not answer', 'the workflow engine is back'])
})
