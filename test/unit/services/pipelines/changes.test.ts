import { expect, test } from 'vitest'
import type { ChildRecord } from '#core/pipeline/snapshot.ts'
import { changesOf } from '#services/pipelines/changes.ts'
import { startOf } from '#test/support/pipeline-world.ts'

const child = (step_id: string, status: ChildRecord['status']): ChildRecord => ({
  ...{ step_id, index: 0, role: 'compensation', run_id: `run_${step_id}`, inputs: {}, status, acted: true },
  ...{ outputs: null, error: null, ended_at_ms: 1, not_before_ms: null, cancel_reason: null },
})

test('the end of a pipeline says which steps are not taken back', () => {
  const definition = { v: 1, name: 'a', title: 'A', inputs_schema: {}, steps: [], outputs: {} } as const
  const before = startOf({ ...definition, steps: [], template_digests: {}, bundle_digest: '' })
  const error = { code: 'cancelled', message: 'enough' }
  const endOf = (...children: ChildRecord[]) =>
    changesOf(before, { ...before, status: 'cancelled', error, children }, 1)?.events.at(-1)
  expect(endOf(child('a', 'failed'), child('b', 'succeeded'), child('c', 'refused'))).toEqual({
    key: 'pipeline/ended',
    type: 'pipeline.cancelled',
    data: { error, not_taken_back: ['a', 'c'] },
  })
  expect(endOf(child('b', 'succeeded'))?.data).toEqual({ error })
})
