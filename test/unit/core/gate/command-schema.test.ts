import { expect, it } from 'vitest'
import { ClaimShapes } from '#core/gate/command-schema.ts'

const claim = { run_id: 'run_1', workspace_id: 'ws_1', lane: 'realtime' }

it('a run’s workflow says only that an execution failed, and what failed it: no code and no status are its to give', () => {
  const closed = (end: object) => ClaimShapes.closeRun.safeParse({ ...claim, ...end }).success
  expect([{ failure: null }, { failure: 'lost' }].every(closed)).toBe(true)
  const forged = [
    { failure: { code: 'PolicyDenied', message: 'x' } },
    { failure: null, error: { code: 'engine_lost', message: 'x' } },
    { failure: null, status: 'succeeded' },
    { failure: 'x'.repeat(100_000) },
    {},
  ]
  expect(forged.filter(closed)).toEqual([])
})

it('a run is named by text that a database can hold', () => {
  const named = (run_id: string) => ClaimShapes.advanceRun.safeParse({ ...claim, run_id }).success
  expect(['run_1', 'run_\0', 'run_\ud800', ''].filter(named)).toEqual(['run_1'])
})
