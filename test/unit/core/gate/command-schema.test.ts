import { expect, it } from 'vitest'
import { ClaimShapes } from '#core/gate/command-schema.ts'

const claim = { run_id: 'run_1', workspace_id: 'ws_1', lane: 'realtime' }

it('a run’s workflow says only that a leg failed: no other reason for an end is its to give', () => {
  const closed = (code: string) => ClaimShapes.closeRun.safeParse({ ...claim, error: { code, message: 'x' } }).success
  expect(['internal', 'engine_lost', 'PolicyDenied', 'BudgetExceeded'].filter(closed)).toEqual(['internal'])
})

it('a run is named by text that a database can hold', () => {
  const named = (run_id: string) => ClaimShapes.advanceRun.safeParse({ ...claim, run_id }).success
  expect(['run_1', 'run_\0', 'run_\ud800', ''].filter(named)).toEqual(['run_1'])
})
