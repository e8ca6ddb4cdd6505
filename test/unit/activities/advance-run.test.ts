import { Context } from '@temporalio/activity'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAdvanceRun } from '#activities/run/advance-run.ts'
import { LANES, type RunClaim } from '#core/contract.ts'
import type { RunPatch } from '#core/run/patch.ts'

const CLAIM: RunClaim = { run_id: 'run_1', workspace_id: 'ws_1', lane: 'realtime' }

beforeEach(() => {
  vi.useFakeTimers()
  const context = {
    info: { isLocal: false, attempt: 2, taskQueue: 'realtime' },
    cancellationSignal: new AbortController().signal,
    heartbeat: () => undefined,
  }
  vi.spyOn(Context, 'current').mockReturnValue(context as unknown as Context)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A database that goes away after the run was taken, and answers again after so many writes. */
function advanceRun(gates: object[], away: number) {
  const written: RunPatch[] = []
  const deps = {
    lanes: Object.fromEntries(LANES.map((lane) => [lane, 1])),
    monotonic: () => 0,
    workspaces: { find: async () => undefined },
    notifyRun: () => undefined,
    audit: { offer: () => undefined },
    plans: {
      load: async () => {
        throw new Error('away')
      },
    },
    runs: {
      take: async () => ({ recorded: { fence: 1 }, head: { id: CLAIM.run_id, gates } }),
      record: async (patch: RunPatch) => {
        if (away-- > 0) throw new Error('away')
        written.push(patch)
        return { fence: 1, last_seq: 1, status: 'running', audit: [] }
      },
    },
  }
  return { advance: createAdvanceRun(deps as unknown as Parameters<typeof createAdvanceRun>[0]), written }
}

test('a process that lives is not counted as one that ended, once the database answers again', async () => {
  const { advance, written } = advanceRun([], 3)
  await expect(advance(CLAIM)).rejects.toThrow('away')
  expect(written).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written).toMatchObject([{ run_id: CLAIM.run_id, any_fence: true, let_go: true }])
})

test('a run that is parked stays parked, whether that can be noted at once or not', async () => {
  const { advance, written } = advanceRun([{ id: 'apr_1', step_id: 'act', status: 'open' }], 1)
  expect(await advance(CLAIM)).toEqual({ kind: 'parked', gate_id: 'apr_1', step: 'act' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(written).toMatchObject([{ any_fence: true, let_go: true }])
})
