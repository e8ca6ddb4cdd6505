import { expect, test } from 'vitest'
import { eventText } from '#client/event-text.ts'
import { PIPELINE_STATUSES, PIPELINE_STEP_STATES } from '#core/pipeline/transitions.ts'
import { RUN_EVENT_TYPES } from '#core/run/event.ts'

const ANN = { type: 'user', id: 'usr_1', display: 'Ann Example' }
const SYSTEM = { type: 'system', id: 'svc', display: 'svc' }
const run = { run_id: 'run_1', index: 0, role: 'run' }

// the operator of a step writes its log in its own words
const OWN_WORDS = ['step.log']
/** `pending` is where steps begin, `running` and `blocked` are no events. */
const TYPES = [
  ...RUN_EVENT_TYPES.filter((type) => !OWN_WORDS.includes(type)),
  ...PIPELINE_STEP_STATES.filter((state) => state !== 'pending').map((state) => `step.${state}`),
  ...PIPELINE_STATUSES.filter((status) => status !== 'running' && status !== 'blocked').map(
    (each) => `pipeline.${each}`,
  ),
  ...['pipeline.started', 'pipeline.cancelling', 'pipeline.closing', 'run.moved', 'run.refused', 'step.advanced'],
]

test.each(TYPES)('%s has a sentence', (type) => {
  const text = eventText({ type, data: { count: 1, attached_count: 1 } })
  expect(text).toMatch(/^[A-Z0-9]/)
  expect(text).not.toBe('count 1 · attached count 1')
})

test.each([
  ['run.started', {}, 'The run began'],
  ['run.started', { ...run, status: 'queued' }, 'Started the run run_1'],
  ['run.moved', { ...run, status: 'succeeded' }, 'The run run_1 succeeded'],
  ['run.moved', { ...run, index: 2, status: 'awaiting_approval' }, 'The run run_1 of entry 2 waits for an approval'],
  ['run.moved', { ...run, role: 'compensation', status: 'failed' }, 'The compensation run_1 failed'],
  ['run.refused', { ...run, error: { code: 'x', message: 'no budget' } }, 'A run did not begin: no budget'],
  ['run.succeeded', { outputs: { a: 1 } }, 'The run succeeded'],
  ['run.failed', { code: 'x', message: 'it answered 500' }, 'it answered 500'],
  ['run.cancelled', { cause: 'standing_lost', why: 'its starter left' }, 'The run was cancelled: its starter left'],
  ['policy.decided', { gate: true, because: ['a', 'b'], led_to: 'gate' }, 'Needs approval: a; b'],
  ['policy.decided', { gate: true, because: ['a', 'b'], led_to: 'effect' }, 'Was approved, as is required: a; b'],
  ['policy.decided', { gate: true, because: ['a'] }, 'Needs approval: a'],
  ['alert.attached', { count: 1, attached_count: 1 }, '1 alert was attached, 1 in all'],
  ['alert.resolved', { member: 'm', remaining: 2 }, 'An alert is resolved; 2 still fire'],
  ['pipeline.started', {}, 'The pipeline began'],
  [
    'pipeline.closing',
    { as: 'failed', compensate: true },
    'No further step begins, what was done is taken back; the pipeline ends as failed',
  ],
  [
    'pipeline.failed',
    { error: { message: 'no' }, not_taken_back: ['a', 'b'] },
    'The pipeline failed: no; not taken back: a, b',
  ],
  ['step.succeeded', { outputs: ['fired_at'] }, 'The step succeeded with fired_at'],
  ['step.waiting_timer', { fire_at: '2026-01-05T09:30:00.000Z' }, 'Waits until 2026-01-05T09:30:00.000Z'],
  ['a.new', { some_value: 1, list: ['x', 'y'] }, 'some value 1 · list x, y'],
  ['constructor', { some_value: 1 }, 'some value 1'],
])('%s with %j is told as %s', (type, data, text) => {
  expect(eventText({ type, data })).toBe(text)
})

test.each([
  [
    'gate.decision',
    { decision: 'approve', channel: 'magic_link', approvals: { have: 1, need: 2 }, note: 'go' },
    'Approved by Ann Example through a link, 1 of 2 approvals, “go”',
  ],
  ['gate.acknowledged', {}, 'Looked at by Ann Example'],
  ['gate.commented', { text: 'wait' }, 'Comment by Ann Example: “wait”'],
  ['gate.resolved', { status: 'rejected', cause: null }, 'The gate was rejected by Ann Example'],
  ['run.cancelling', { reason: 'db_main is gone' }, 'Being cancelled by Ann Example: db_main is gone'],
  ['pipeline.queued', { name: 'care', bundle: 'night' }, 'The pipeline care was started by Ann Example'],
  ['step.advanced', { note: 'go on', inputs: {} }, 'Advanced by Ann Example: go on'],
])('%s says who did it', (type, data, text) => {
  expect(eventText({ type, actor: ANN, data })).toBe(text)
  expect(eventText({ type, actor: SYSTEM, data })).not.toContain('svc')
})

test('an event by a link alone names where the link was sent, and one without sign-in the local owner', () => {
  const by = (id: string) =>
    eventText({ type: 'gate.acknowledged', actor: { type: 'user', id, display: id }, data: {} })
  expect(by('ann@example.test')).toBe('Looked at by holder of the link sent to ann@example.test')
  expect(by('hooks.example.test#e179')).toBe('Looked at by holder of the link sent to hooks.example.test')
  expect(by('usr_local')).toBe('Looked at by the local owner')
})
