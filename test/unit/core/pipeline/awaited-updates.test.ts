import { expect, test } from 'vitest'
import { awaitedUpdates } from '#core/pipeline/awaited-updates.ts'
import type { ChildRecord, Closing, PipelineStepRecord } from '#core/pipeline/snapshot.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'

type State = PipelineStepRecord['state']

/** Steps by name, each with its state and what it needs; a step that runs has one open run. */
function awaited(
  steps: Record<string, [state: State, ...needs: string[]]>,
  more: { closing?: Closing; items?: string } = {},
) {
  const named = Object.entries(steps)
  const definition = { steps: named.map(([id, [, ...needs]]) => ({ id, needs })) } as unknown as PipelineDefinition
  const running = named.filter(([, [state]]) => state === 'running')
  return awaitedUpdates(definition, {
    closing: more.closing ?? null,
    steps: named.map(([id, [state]]) => ({ id, state, items: id === more.items ? [1] : null }) as PipelineStepRecord),
    children: running.map(([step_id]) => ({ step_id, status: 'queued' }) as ChildRecord),
  })
}

test('where the next run may let a step begin, nothing else is awaited', () => {
  expect(awaited({ a: ['running'], b: ['running'], c: ['pending', 'a'] })).toEqual({ count: 1, ends: false })
})

test('a step that joins others awaits all of them that have not ended', () => {
  const steps = {
    a: ['succeeded'],
    b: ['running'],
    c: ['running'],
    d: ['pending', 'a', 'b', 'c'],
    e: ['pending', 'd'],
  } as const
  expect(awaited(steps as never)).toEqual({ count: 2, ends: false })
})

test('runs after which nothing begins are awaited together, and then it ends', () => {
  expect(awaited({ a: ['succeeded'], b: ['running'], c: ['running', 'a'] })).toEqual({ count: 2, ends: true })
})

test.each<State>(['waiting_timer', 'waiting_event', 'ready', 'awaiting_approval'])(
  'what waits for something else (%s) may go on at any time',
  (state) => {
    expect(awaited({ a: ['running'], b: ['running'], c: [state] })).toEqual({ count: 1, ends: false })
  },
)

test('so may a list, which makes room, and a pipeline that is ending', () => {
  const steps = { a: ['running'], b: ['running'] } as const
  const closing: Closing = { as: 'failed', compensate: true, error: null }
  expect(awaited(steps as never, { items: 'a' })).toEqual({ count: 1, ends: false })
  expect(awaited(steps as never, { closing })).toEqual({ count: 1, ends: false })
})
