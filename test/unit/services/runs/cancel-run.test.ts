import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cancelRun } from '#services/runs/cancel-run.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('a cancellation that no worker takes is recorded, also where the engine did not say at once whether it has the run', async () => {
  const recorded: unknown[] = []
  let times = 0
  const ctx = {
    workspace_id: 'ws_1',
    actor: { id: 'usr_1', display: 'A', type: 'user', roles: ['operator'], auth: 'none' },
    channel: 'api',
    clock: () => 0,
    ids: { next: () => 'dec_1' },
    runs: {
      findDecidable: async () => ({
        run_id: 'run_1',
        workspace_id: 'ws_1',
        lane: 'realtime',
        provenance: { trigger: {} },
        status: recorded.length > 0 ? 'cancelling' : 'running',
      }),
    },
    engine: {
      cancel: (_run: string, _command: unknown, onSent?: () => void) => {
        onSent?.()
        return new Promise<void>(() => undefined)
      },
      alive: async () => {
        times += 1
        if (times < 3) throw new Error('away')
        return true
      },
    },
    record: {
      cancel: async (given: unknown) => {
        recorded.push(given)
        return {}
      },
    },
  }
  const cancelled = cancelRun(ctx as unknown as Parameters<typeof cancelRun>[0], { run_id: 'run_1' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(recorded).toHaveLength(1)
  await cancelled
  expect(vi.getTimerCount()).toBe(0)
})
