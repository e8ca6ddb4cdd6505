import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GateCommand } from '#core/contract.ts'
import { askRecord, NO_WORKER_AFTER_MS } from '#services/approvals/ask-record.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const GATE = { run_id: 'run_1', gate_id: 'gate_1', workspace_id: 'ws_1', lane: 'realtime' } as const
const COMMAND = { decision_id: 'dec_1', gate_id: 'gate_1', kind: 'approve', by: 'usr_1' } as GateCommand

type Context = Parameters<typeof askRecord>[0]

/** An engine that no worker serves, and a record that takes what it is given. */
function withoutWorkers({ isSent, alive = true }: { isSent: boolean; alive?: boolean }) {
  const recorded: unknown[] = []
  const state = () => ({
    status: 'open',
    required: { approvals: 2 },
    resolution: null,
    answers: recorded.map(() => VOTE),
  })
  const ctx = {
    engine: {
      decide: (_run: string, _command: GateCommand, onSent?: () => void) => {
        if (isSent) onSent?.()
        return new Promise(() => undefined)
      },
      alive: async () => alive,
    },
    decisions: { read: async () => state() },
    record: {
      decision: async ({ given }: { given: unknown }) => {
        recorded.push(given)
        return {}
      },
    },
  }
  return { ctx: ctx as unknown as Context, recorded }
}

const VOTE = {
  decision_id: 'dec_1',
  by: 'usr_1',
  decision: 'approve',
  command: COMMAND,
  approvals: { have: 1, need: 2, missing: null },
}

describe('a decision that no worker takes', () => {
  it.each([
    ['is recorded after 3 s', true, NO_WORKER_AFTER_MS],
    ['is recorded after 6 s where it waits for another one on the same gate', false, 2 * NO_WORKER_AFTER_MS],
  ])('%s', async (_, isSent, after_ms) => {
    const { ctx, recorded } = withoutWorkers({ isSent })
    const answered = askRecord(ctx, GATE, COMMAND)
    await vi.advanceTimersByTimeAsync(after_ms - 1)
    expect(recorded).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(recorded).toEqual([COMMAND])
    expect(await answered).toMatchObject({ resolved: false })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is recorded later where the engine did not say whether it has the run', async () => {
    const { ctx, recorded } = withoutWorkers({ isSent: true })
    let times = 0
    const alive = async () => {
      times += 1
      if (times < 4) throw new Error('away')
      return true
    }
    const answered = askRecord({ ...ctx, engine: { ...ctx.engine, alive } }, GATE, COMMAND)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(recorded).toEqual([COMMAND])
    expect(await answered).toMatchObject({ resolved: false })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is not recorded for a run that the engine has lost', async () => {
    const { ctx, recorded } = withoutWorkers({ isSent: true, alive: false })
    void askRecord(ctx, GATE, COMMAND)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(recorded).toEqual([])
  })
})
