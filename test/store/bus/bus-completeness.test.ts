import { describe, expect, test } from 'vitest'
import { loadBus } from '../../support/bus-load.ts'

const NONE = { skipped: [], foreign: [], reordered: [], unflagged: [], repeated: [] }

describe('with subscribers, sessions, backends and the server being killed under load', () => {
  test('every subscriber has all that was committed, in order, and twice only what a crash left in doubt', async () => {
    const { faults, published, delivered, kills, held } = await loadBus({
      seed: 1,
      load_ms: 3_000,
      hold_ms: 1_500,
      kills: true,
    })
    expect(faults).toEqual({
      lost: [],
      invented: [],
      doubled: [],
      subscribers: { doomed: NONE, slow: NONE, own: NONE },
    })
    expect(kills).toHaveLength(4)
    // the load was one, and the kills hit it
    expect(published.acknowledged).toBeGreaterThan(200)
    expect(published.unknown).toBeGreaterThan(0)
    expect(published.undone).toBeGreaterThan(0)
    expect(delivered['doomed']?.messages).toBeGreaterThan(200)
    // a transaction that stays open keeps nobody else's messages back
    expect(held.passed).toBeGreaterThan(20)
  })
})
