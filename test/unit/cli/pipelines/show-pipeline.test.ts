import { expect, test } from 'vitest'
import { configLines, firstRows, fitted, pipelineLines } from '#cli/pipelines/show-pipeline.ts'
import { eventLine } from '#cli/views/event-line.ts'
import type { Schema } from '#client/create-client.ts'

type Pipeline = Schema<'Pipeline'>
type Run = Schema<'PipelineRun'>

const NOW = Date.UTC(2026, 0, 1, 12)
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString()
const ID = 'pl_01m82svzx9vpenwptk63qan6yv'
const run = (more: Partial<Run> & Pick<Run, 'run_id'>): Run => ({
  ...{ index: 0, role: 'run', status: 'succeeded', total_usd: 0 },
  ...more,
})

function pipelineOf(runs: Run[], more: Partial<Pipeline> = {}): Pipeline {
  return {
    ...{ id: ID, workspace_id: 'ws_1', name: 'care', title: 'Care', environment: 'development', profile: 'default' },
    ...{ environment_class: 'development', status: 'blocked', inputs: {}, provenance: {}, links: {} },
    ...{ total_usd: 0, reserved_usd: 0, cap_usd: 1, created_at: ago(90), started_at: ago(90), updated_at: ago(1) },
    bundle: { path: 'night', digest: 'sha256:0' },
    steps: [
      {
        ...{ id: 'recover', title: 'recover', kind: 'run', needs: [], on_failure: 'compensate' },
        ...{ state: 'succeeded', started_at: ago(90), ended_at: ago(80), runs },
      },
    ],
    ...more,
  }
}

const shown = (pipeline: Pipeline) => pipelineLines(pipeline, NOW)

test('each gate says how it is answered, by its name, and of several which entry it is for', () => {
  const waiting = (index: number) =>
    run({ run_id: `run_${index}`, index, status: 'awaiting_approval', gate_id: `gate_${index}` })
  expect(shown(pipelineOf([waiting(0), waiting(1)]))).toEqual(
    expect.arrayContaining([
      `      answer [0] with: svc pipeline approve ${ID} recover --gate gate_0`,
      `      answer [1] with: svc pipeline approve ${ID} recover --gate gate_1`,
    ]),
  )
  expect(shown(pipelineOf([waiting(0)]))).toContain(
    `      answer with: svc pipeline approve ${ID} recover --gate gate_0`,
  )
})

test('the gate of a compensation stands below it, and what could not be taken back at the top and at its run', () => {
  const error = { code: 'http_status', message: 'answered 404' }
  const undo = { role: 'compensation' } as const
  const lines = shown(
    pipelineOf(
      [
        run({ run_id: 'run_0' }),
        run({ run_id: 'run_1', index: 1 }),
        run({ run_id: 'run_2', ...undo, index: 1, status: 'failed', error }),
        run({ run_id: 'run_3', ...undo, status: 'awaiting_approval', gate_id: 'gate_3' }),
      ],
      { not_taken_back: [{ step: 'recover', index: 1, run_id: 'run_2', status: 'failed', error }] },
    ),
  )
  expect(lines).toContain('  compensated 0 of 2; not taken back: recover: look after it by hand')
  expect(lines.slice(-3)).toEqual([
    '      not taken back by run_2 failed: http_status: answered 404',
    '      being taken back by run_3 awaiting_approval',
    `      answer with: svc pipeline approve ${ID} recover --gate gate_3`,
  ])
})

test('a run that never began is told with the reason, and no id is shown under which there is nothing', () => {
  const error = { code: 'policy_denied', message: 'not here' }
  const one = shown(pipelineOf([run({ run_id: 'run_0', status: 'refused', error })]))
  expect(one.at(-1)).toBe('      its run never began')
  const lines = shown(
    pipelineOf([
      run({ run_id: 'run_0' }),
      run({ run_id: 'run_1', index: 1, status: 'refused', error }),
      run({ run_id: 'run_2', role: 'compensation', status: 'refused', error }),
    ]),
  )
  expect(lines).toContain('      [1] a run that never began: policy_denied: not here')
  expect(lines.at(-1)).toBe('      not taken back by a run that never began: policy_denied: not here')
  expect([...one, ...lines].join()).not.toMatch(/run_[012] refused/)
})

test('how long it has stood so is not made up: it says when it began', () => {
  expect(shown(pipelineOf([]))).toContain('  stands      blocked, begun 1 min 30 s ago, 1 of 1 steps have ended')
})

test('a step that waits for an event says for which', () => {
  const waiting: Pipeline['steps'][number] = {
    ...{ id: 'told', title: 'told', kind: 'event', needs: [], on_failure: 'fail' },
    ...{ state: 'waiting_event', topic: 'run.failed', runs: [] },
  }
  const waitText = (more: { matches?: string }) => shown(pipelineOf([], { steps: [{ ...waiting, ...more }] })).at(-1)
  expect(waitText({})).toBe('      waits for an event on run.failed')
  expect(waitText({ matches: "event.data.pack ==\n  'sre'" })).toBe(
    "      waits for an event on run.failed where event.data.pack == 'sre'",
  )
})

test('in a window a command stays whole, and the rows that it takes are counted', () => {
  const command = `answer with: svc pipeline approve ${ID} recover`
  const lines = ['x'.repeat(100), command, 'last']
  expect(fitted(lines, 60)).toEqual([`${'x'.repeat(59)}…`, command, 'last'])
  expect(firstRows(fitted(lines, 60), { width: 60, height: 5 })).toHaveLength(3)
  expect(firstRows(fitted(lines, 60), { width: 60, height: 4 })).toHaveLength(2)
  expect(fitted(lines, undefined)).toEqual(lines)
})

test('an event that ends something says why', () => {
  const event = { ts: '2026-01-01T12:00:00.000Z', seq: 7, type: 'step.failed', step: 'recover' }
  const data = { error: { code: 'timeout', message: 'its runs have not ended in time' }, not_taken_back: ['a', 'b'] }
  expect(eventLine({ ...event, data })).toBe(
    '2026-01-01 12:00:00.000Z   7 step.failed      recover The step failed: its runs have not ended in time; not taken back: a, b',
  )
})

test('of a step for each entry of a list the values say which entry they are of', () => {
  const of = (entry: { index: number; count?: number }) =>
    configLines({
      pipeline_id: ID,
      settings: [],
      inputs: [],
      steps: [{ id: 'care', settings: [], inputs: [], entry }],
    }).at(-1)
  expect(of({ index: 0, count: 4 })).toBe('  for entry 0 of 4 entries, counted from 0; others: --entry <n>')
  expect(of({ index: 0, count: 1 })).toBe('  for the only entry of its list')
  expect(of({ index: 5, count: 4 })).toBe(
    '  the list has 4 entries, and none with the number 5; they are counted from 0',
  )
  expect(of({ index: 0 })).toBe('  for each entry of a list that is not known yet')
})
