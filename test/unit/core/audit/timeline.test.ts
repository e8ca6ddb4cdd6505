import { describe, expect, test } from 'vitest'
import { buildTimeline } from '#core/audit/timeline.ts'
import { timelineLines } from '#core/audit/timeline-lines.ts'
import type { AuditEvent } from '#core/audit/types.ts'
import type { JsonObject } from '#core/json/json.ts'

const RUN = 'run_1'
const asked = { requested_by: 'usr_asker', human_root: { user_id: 'usr_asker', via: ['api'] } }
const required = { approvals: 2, approval_roles: [['dba']], prevent_self: true }
const vote = (by: string, roles: string[] = ['approver'], more: JsonObject = {}) => ({
  by,
  decision: 'approve',
  roles,
  asserted: false,
  ...more,
})
const COUNTED = [vote('usr_dba', ['approver', 'dba']), vote('usr_ann')]

let seq = 0
const next = () => {
  seq += 1
  return seq
}
const event = (action: string, subject: AuditEvent['subject'], data: JsonObject, actor = 'svc'): AuditEvent => ({
  v: 1,
  seq: next(),
  id: `aud_${seq}`,
  ts: `2026-01-01T00:00:0${seq % 10}.000Z`,
  category: action === 'step.settled' ? 'lineage' : 'approval',
  action,
  workspace_id: 'ws_1',
  actor: { type: 'user', id: actor, auth: 'jwt' },
  channel: 'api',
  run_id: RUN,
  subject,
  data,
})
const gate = { type: 'gate', id: 'gate_1' }
const step = { type: 'step', id: `${RUN}:act` }
const decided = (by: string, status: string, more: JsonObject = {}) =>
  event(
    'gate.decided',
    gate,
    {
      ...asked,
      gate_id: 'gate_1',
      decision: 'approve',
      status,
      plan_hash: 'p1',
      roles: ['approver'],
      required,
      ...more,
    },
    by,
  )

/** A run that was approved by two and ran, with one thing otherwise than it was. */
function reported(
  change: {
    counted?: JsonObject[]
    plan?: string
    settled?: string
    approved_by?: string | null
    vouched_by?: string | null
    gated?: boolean
    seen?: string[]
  } = {},
) {
  const {
    counted = COUNTED,
    plan = 'p1',
    settled = plan,
    approved_by = 'gate_1',
    vouched_by = null,
    gated = true,
    seen = ['usr_dba', 'usr_ann'],
  } = change
  return [
    event(
      'run.admitted',
      { type: 'run', id: RUN },
      { ...asked, template: 'a/b', environment: 'production' },
      'usr_asker',
    ),
    event('gate.opened', gate, {
      ...asked,
      gate_id: 'gate_1',
      step: 'act',
      plan_hash: 'p1',
      because: ['it must'],
      required,
    }),
    ...seen.map((by, n) =>
      decided(by, n === seen.length - 1 ? 'approved' : 'open', n === seen.length - 1 ? { counted } : {}),
    ),
    event('policy.decided', step, {
      ...asked,
      led_to: 'effect',
      gate: gated,
      plan_hash: plan,
      approved_by,
      vouched_by,
      attempt: 1,
      targets: { ids: ['POST http://x'] },
    }),
    event('step.settled', step, {
      plan_hash: settled,
      attempt: 1,
      state: 'succeeded',
      cost_usd: '0.25',
      operator: 'http.request@1',
    }),
    event('run.succeeded', { type: 'run', id: RUN }, {}),
  ]
}

test('a run that ran as it was approved is told so, with its cost', () => {
  const timeline = buildTimeline(reported())
  expect(timeline).toMatchObject({
    human_root: 'usr_asker',
    cost_usd: '0.250000',
    as_approved: true,
    ended: { status: 'succeeded' },
  })
  expect(timeline?.gates).toMatchObject([{ status: 'approved', met: true }])
  expect(timelineLines(timeline ?? never()).at(-1)).toBe('approved what was approved is what ran')
})

test('what a run paid for a call of a model is part of its cost, and a call of a step is counted once', () => {
  const called = (data: JsonObject): AuditEvent => ({
    ...event('model.called', { type: 'model_call', id: 'mcl_1' }, data),
    category: 'model_call',
  })
  const [begun = never(), ...rest] = reported()
  const calls = [called({ cost_usd: '0.000377' }), called({ cost_usd: '0.1', step: 'act', step_attempt: 1 })]
  expect(buildTimeline([begun, ...calls, ...rest])?.cost_usd).toBe('0.250377')
})

describe('a record that does not add up is told', () => {
  test.each([
    ['another plan than the approved one', { plan: 'p2' }],
    ['another plan that was settled than begun', { settled: 'p2' }],
    ['an effect that no gate let through', { approved_by: null }],
    ['an effect that stands on a gate of nobody', { approved_by: 'gate_2' }],
    ['an owner who answered in a gate of nobody', { vouched_by: 'gate_2' }],
    ['an approval that passes for the answer of an owner', { vouched_by: 'gate_1' }],
    ['too few votes', { counted: [vote('usr_dba', ['dba'])] }],
    ['a role that nobody has', { counted: [vote('usr_bob'), vote('usr_ann')] }],
    [
      'the vote of the one who asked',
      { counted: [vote('usr_dba', ['dba']), vote('usr_asker')], seen: ['usr_dba', 'usr_asker'] },
    ],
    ['a vote that nobody has seen', { seen: ['usr_ann', 'usr_ann'] }],
    ['one service account with two names', { counted: COUNTED.map((each) => ({ ...each, via: 'usr_bot' })) }],
  ])('%s', (_, change) => {
    const timeline = buildTimeline(reported(change))
    expect(timeline?.as_approved).toBe(false)
    const text = timelineLines(timeline ?? never()).join('\n')
    expect(text).toContain('approved NO')
    expect(text).toMatch(/NOT AS APPROVED|DO NOT MEET/)
  })
})

describe('an owner who answers for a requester', () => {
  const gate = { type: 'gate', id: 'gate_2' }
  const of_owner = { approvals: 1, approval_roles: [['owner']], prevent_self: false }
  const asked_again = { ...asked, gate_id: 'gate_2', plan_hash: 'p1', required: of_owner }
  const counted = [vote('usr_owner', ['owner'])]
  const overridden = (change: Parameters<typeof reported>[0]) =>
    reported(change).toSpliced(
      4,
      0,
      event('gate.opened', gate, { ...asked_again, step: 'act', kind: 'standing_lost', because: ['usr_asker'] }),
      event('gate.decided', gate, { ...asked_again, decision: 'approve', status: 'approved', counted }, 'usr_owner'),
    )

  test('is counted by what that gate asked, and told beside the approval', () => {
    const timeline = buildTimeline(overridden({ vouched_by: 'gate_2' })) ?? never()
    expect(timeline.gates.map(({ kind, met }) => [kind, met])).toEqual([
      ['', true],
      ['standing_lost', true],
    ])
    expect(timeline.as_approved).toBe(true)
    expect(timelineLines(timeline).join('\n')).toContain('as approved in gate_1, owner override in gate_2')
  })

  test('approves nothing that the step does', () => {
    expect(buildTimeline(overridden({ approved_by: 'gate_2' }))?.as_approved).toBe(false)
    expect(
      buildTimeline(overridden({ plan: 'p2', approved_by: null, gated: false, vouched_by: 'gate_2' }))?.as_approved,
    ).toBe(false)
  })
})

test('without its beginning a run has no timeline', () => {
  expect(buildTimeline(reported().slice(1))).toBeUndefined()
})

function never(): never {
  throw new Error('there is no timeline')
}
