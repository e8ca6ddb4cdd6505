import { expect, test } from 'vitest'
import { withAbort } from '#platform/within.ts'
import { collectGarbage } from '#test/support/collect-garbage.ts'

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

test('ends what takes too long, also when garbage was collected meanwhile', async () => {
  const late = withAbort(new AbortController().signal, 60, untilAborted)
  collectGarbage()
  await expect(late).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('ends what is cancelled, for the reason that was given', async () => {
  const cancelled = new AbortController()
  const task = withAbort(cancelled.signal, 60_000, untilAborted)
  collectGarbage()
  cancelled.abort('the run was cancelled')
  await expect(task).rejects.toBe('the run was cancelled')
})

test('ends at once what was cancelled before', async () => {
  const seen = await withAbort(AbortSignal.abort('too late'), 60_000, async (signal) => signal.reason)
  expect(seen).toBe('too late')
})

test('gives what was done in time', async () => {
  expect(await withAbort(new AbortController().signal, 60_000, async () => 'done')).toBe('done')
})
