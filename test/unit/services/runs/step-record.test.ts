import { expect, test } from 'vitest'
import { toStepHistory, toStepRecord } from '#services/runs/step-record.ts'
import type { StepRow } from '#store/runs/step-views.ts'

const RETRY_AT = '2026-01-05T00:00:10.000Z'
const error = { code: 'http_status', message: 'it answered 429', retryable: true, retry_at: RETRY_AT }
const ROW: StepRow = {
  ...{
    id: 'act',
    name: 'act',
    operator: 'http.request',
    operator_version: 1,
    action_type: 'read',
    attempt: 1,
    gates: [],
    taken_over_from: null,
  },
  ...{
    state: 'ready',
    run_ended_at: null,
    inputs: null,
    outputs: null,
    simulation: null,
    error,
    message: null,
    plan_hash: null,
  },
  ...{ started_at: null, ended_at: null, cost_micro_usd: 0 },
}
const shown = (state: StepRow['state']) =>
  toStepRecord({ ...ROW, state }, { run_id: 'run_1', most: 1_000, sha256: () => 'sha256:0' }).error

test('a step says when it is tried again while it waits for that, and no longer', () => {
  const { retry_at: _, ...rest } = error
  expect(shown('ready')).toEqual(error)
  for (const state of ['running', 'awaiting_approval', 'cancelled', 'failed'] as const)
    expect(shown(state)).toEqual(rest)
  const failed = { type: 'step.failed' as const, seq: 1, ts: RETRY_AT, data: { attempt: 1, ...error } }
  expect(toStepHistory({ events: [failed], charges: [] }).attempts).toMatchObject([{ number: 1, error: rest }])
})
