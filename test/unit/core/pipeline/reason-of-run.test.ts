import { expect, test } from 'vitest'
import { reasonOfRun } from '#core/pipeline/pipeline-facts.ts'
import type { Closing } from '#core/pipeline/snapshot.ts'

const CANCELLED: Closing = { as: 'cancelled', compensate: true, error: { code: 'cancelled', message: 'enough' } }
const LIST = { items: 'inputs.urls', parallel: 1 }

test('a run is asked for as its pipeline was', () => {
  const run = { role: 'run' as const, index: 0 }
  expect(reasonOfRun({ reason: 'a drill', closing: CANCELLED }, { id: 'act' }, run)).toBe('a drill')
  expect(reasonOfRun({ reason: null, closing: null }, { id: 'act' }, run)).toBeNull()
})

test.each([
  [{ reason: null, closing: CANCELLED }, {}, 'takes back the step act, because the pipeline is cancelled: enough'],
  [
    { reason: null, closing: CANCELLED },
    { for_each: LIST },
    'takes back the step act [2], because the pipeline is cancelled: enough',
  ],
  [
    { reason: null, closing: { ...CANCELLED, error: null } },
    {},
    'takes back the step act, because the pipeline is cancelled',
  ],
  [
    { reason: 'a drill', closing: CANCELLED },
    {},
    'takes back the step act, because the pipeline is cancelled: enough. The pipeline was started because: a drill',
  ],
])('a compensation says what it takes back, and because of what: %j', (pipeline, step, reason_text) => {
  expect(reasonOfRun(pipeline, { id: 'act', ...step }, { role: 'compensation', index: 2 })).toBe(reason_text)
})

test('nothing is cut: half a character could not be kept, and nothing would be taken back', () => {
  const reason = '🚒'.repeat(2_000)
  const reason_text = reasonOfRun({ reason, closing: CANCELLED }, { id: 'act' }, { role: 'compensation', index: 0 })
  expect(reason_text?.endsWith(reason)).toBe(true)
  expect(reason_text?.isWellFormed()).toBe(true)
})
