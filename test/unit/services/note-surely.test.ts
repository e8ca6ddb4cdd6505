import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notePending, noteSurely } from '#services/note-surely.ts'

beforeEach(() => {
  vi.useFakeTimers()
  log.error.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

const log = { error: vi.fn() }

/** A note that the database does not take so many times. */
function failing(times: number) {
  let tried = 0
  const write = vi.fn(async () => {
    tried += 1
    if (tried <= times) throw new Error('away')
  })
  return { write, lost: 'that dlv_1 has failed', log }
}

test('a note is tried until the database takes it', async () => {
  const note = failing(3)
  await noteSurely(note)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(note.write).toHaveBeenCalledTimes(4)
})

test('what is pending when the process stops is noted then, and once', async () => {
  const note = failing(1)
  await noteSurely(note)
  await notePending()
  expect(note.write).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(note.write).toHaveBeenCalledTimes(2)
})

const LOST = [{ err: new Error('away'), lost: 'that dlv_1 has failed' }, expect.stringContaining('given up')]

test('what the database does not take within a minute is named in the log, once', async () => {
  const note = failing(1_000)
  await noteSurely(note)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(log.error).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(log.error.mock.calls).toEqual([LOST])
})

test('so is what it does not take when the process stops', async () => {
  await noteSurely(failing(1_000))
  await notePending()
  expect(log.error.mock.calls).toEqual([LOST])
})
