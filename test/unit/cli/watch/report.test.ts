import { expect, test } from 'vitest'
import { showEvent } from '#cli/watch/report.ts'

test.each([
  ['act', 'would act'],
  ['be_skipped', 'would be skipped'],
  ['unknown', 'cannot be judged'],
])('a step of a dry run that is %s is told as %s', (would, text) => {
  const lines: string[] = []
  showEvent((line) => void lines.push(line), {
    ...{ id: 'evt_1', seq: 12, type: 'step.completed', run_id: 'run_1', step: 'act', ts: '2026-01-05T09:30:00.000Z' },
    data: { executed: false, would },
  })
  expect(lines).toEqual([`   12 step.completed   act ${text}`])
})
