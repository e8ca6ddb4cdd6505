import { expect, test } from 'vitest'
import { createWorkspaceTurns } from '#activities/run/workspace-turn.ts'
import type { WorkspaceLimits } from '#core/workspace/schema.ts'

const WORKSPACE = 'ws_00000000000000000000000000'
const claim = (n: number) => ({ run_id: `run_${n}`, workspace_id: WORKSPACE })

function turns(limits: WorkspaceLimits) {
  const asked: string[] = []
  let free = 0
  const takeTurn = createWorkspaceTurns({
    workspaces: {
      find: async (id) => ({ id, slug: 'x', status: 'active', default_environment: 'development', limits }),
    },
    slots: {
      take: async (_workspace, lane, limit) => {
        asked.push(`${lane} ${limit}`)
        if (free === 0) return undefined
        free -= 1
        return {
          release: async () => {
            free += 1
          },
        }
      },
      close: async () => undefined,
    },
  })
  return {
    takeTurn,
    asked,
    let: (count: number) => {
      free = count
    },
  }
}

test('a workspace without a limit in this lane never asks for a slot', async () => {
  const { takeTurn, asked } = turns({ background: 1, daily_usd: 5 })
  expect((await takeTurn(claim(1), 'realtime')).kind).toBe('taken')
  expect((await takeTurn(claim(1), 'ledger')).kind).toBe('taken')
  expect(asked).toEqual([])
})

test('a run that finds no room waits half as long again each time, up to fifteen seconds, and starts afresh once it had its turn', async () => {
  const { takeTurn, asked, let: allow } = turns({ realtime: 2 })
  const delays = []
  for (let n = 0; n < 13; n += 1) {
    const turn = await takeTurn(claim(1), 'realtime')
    delays.push(turn.kind === 'full' ? turn.delay_ms : 0)
  }
  expect(delays).toEqual([250, 375, 563, 844, 1_266, 1_898, 2_848, 4_271, 6_407, 9_611, 14_416, 15_000, 15_000])
  expect(await takeTurn(claim(2), 'realtime')).toEqual({ kind: 'full', delay_ms: 250 })
  allow(1)
  const turn = await takeTurn(claim(1), 'realtime')
  expect(turn.kind).toBe('taken')
  expect(await takeTurn(claim(1), 'realtime')).toEqual({ kind: 'full', delay_ms: 250 })
  if (turn.kind === 'taken') await turn.slot.release()
  expect((await takeTurn(claim(2), 'realtime')).kind).toBe('taken')
  expect(asked[0]).toBe('realtime 2')
})
