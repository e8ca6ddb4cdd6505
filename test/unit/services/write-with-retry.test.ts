import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { writePending, writeWithRetry } from '#services/write-with-retry.ts'

beforeEach(() => {
  vi.useFakeTimers()
  log.error.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

const log = { error: vi.fn() }

/** A write that the database does not take so many times. */
function failing(times: number) {
  let tried = 0
  const write = vi.fn(async () => {
    tried += 1
    if (tried <= times) throw new Error('away')
  })
  return { write, lost: 'that dlv_1 has failed', log }
}

test('a write is tried until the database takes it', async () => {
  const job = failing(3)
  await writeWithRetry(job)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(job.write).toHaveBeenCalledTimes(4)
})

test('what is pending when the process stops is written then, and once', async () => {
  const job = failing(1)
  await writeWithRetry(job)
  await writePending()
  expect(job.write).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(job.write).toHaveBeenCalledTimes(2)
})

const LOST = [{ err: new Error('away'), lost: 'that dlv_1 has failed' }, expect.stringContaining('dropped')]

test('what the database does not take within a minute is named in the log, once', async () => {
  const job = failing(1_000)
  await writeWithRetry(job)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(log.error).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(log.error.mock.calls).toEqual([LOST])
})

test('so is what it does not take when the process stops', async () => {
  await writeWithRetry(failing(1_000))
  await writePending()
  expect(log.error.mock.calls).toEqual([LOST])
})
