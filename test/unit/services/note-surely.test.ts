import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notePending, noteSurely } from '#services/note-surely.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A note that the database does not take so many times. */
function failing(times: number) {
  let tried = 0
  const note = vi.fn(async () => {
    tried += 1
    if (tried <= times) throw new Error('away')
  })
  return note
}

test('a note is tried until the database takes it', async () => {
  const note = failing(3)
  await noteSurely(note)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(note).toHaveBeenCalledTimes(4)
})

test('what is pending when the process stops is noted then, and once', async () => {
  const note = failing(1)
  await noteSurely(note)
  await notePending()
  expect(note).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(note).toHaveBeenCalledTimes(2)
})
