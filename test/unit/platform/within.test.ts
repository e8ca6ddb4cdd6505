import { stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { withAbort, within } from '#platform/within.ts'
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

test('waits for work as long as it says, and no timer is left', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  expect(await within(60_000, Promise.resolve('done'), () => 'late')).toBe('done')
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before)
  expect(await within(1, new Promise(() => undefined), () => 'late')).toBe('late')
  await expect(within(60_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed')
})

test('counts no time in which the process itself was held up', async () => {
  const read = async () => {
    for (const _ of [1, 2, 3, 4]) await stat(import.meta.dirname)
    return 'read'
  }
  const answer = within(200, read(), () => 'late')
  const until = performance.now() + 400
  while (performance.now() < until);
  expect(await answer).toBe('read')
})
