import { afterEach, expect, test, vi } from 'vitest'
import { createModelLeases } from '#services/models/model-leases.ts'

afterEach(() => void vi.useRealTimers())

test('what is under way is renewed until it ends, and one whose end was not written down is named in the log', async () => {
  vi.useFakeTimers()
  const renew = vi.fn(async () => {})
  const log = { warn: vi.fn(), error: vi.fn() }
  const leases = createModelLeases({ calls: { renew }, log, every_ms: 1_000 })
  for (const id of ['one', 'two', 'three']) leases.hold(id)
  await vi.advanceTimersByTimeAsync(1_000)
  leases.drop('one')
  const lost = new Error('no connection')
  leases.lose('two', lost)
  await vi.advanceTimersByTimeAsync(1_000)
  leases.close()
  expect(renew.mock.calls).toEqual([[['one', 'two', 'three']], [['three']]])
  expect(log.error.mock.calls).toEqual([[{ err: lost, model_call: 'two' }, expect.any(String)]])
})
