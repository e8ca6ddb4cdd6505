import { expect, test } from 'vitest'
import type { PolicyVerdict } from '#core/policy/types.ts'
import { parked } from '#core/run/gate-transition.ts'
import type { Transition } from '#core/run/patch.ts'
import { dryRunEnded, failed, halted, runSucceeded, standingLost } from '#core/run/run-transitions.ts'
import { type RunStatus, STEP_TRANSITIONS, type StepState } from '#core/run/status.ts'
import { type Attempt, attemptEnded, type JudgedFacts, type StepFacts } from '#core/run/step-records.ts'
import {
  cancelled,
  delayed,
  opened,
  predicted,
  readFailed,
  reopened,
  retried,
  skipped,
  succeeded,
} from '#core/run/step-transitions.ts'

const OF: StepFacts = {
  run: {
    id: 'run_1',
    environment: 'prod',
    dry_run: false,
    provenance: { actor: { id: 'usr_1' }, human_root: 'usr_1' },
  },
  step: { id: 'act', operator: 'http.request', operator_version: 2, when: 'inputs.go' },
  key: { step_id: 'act', ordinal: 3 },
}
const DRY: StepFacts = { ...OF, run: { ...OF.run, dry_run: true } }
const MADE: Attempt = {
  number: 2,
  charge: { cost: { llm: 5, gpu: 6, storage: 7 }, overrun: 1, basis: 'reported' },
  log: [{ message: 'one' }, { message: 'two' }],
}
const VERDICT: PolicyVerdict = {
  effect: 'deny',
  matched: [{ name: 'no-prod', layer: 'overlay', effect: 'deny', reason: 'not here' }],
  dry_run: false,
  approval_roles: [],
  channels: [],
  broken_policies: [],
  snapshot_hash: 'sha256:policies',
}
const JUDGED: JudgedFacts = { plan_hash: 'sha256:plan', verdict: VERDICT, gate: { on: true, because: ['policy'] } }
const ERROR = { code: 'http_status' as const, message: 'it said 503', retryable: true }
const OPEN = { step_id: 'act', ordinal: 3, attempt: 2, plan_hash: 'sha256:plan', reserve_micro_usd: 18 }
const BROUGHT = {
  outputs: { n: 1 },
  events: [{ event: 'restarted', data: { web: true } }],
  plan_hash: 'sha256:plan',
  outputs_hash: 'sha256:outputs',
  artifacts: [
    { id: 'art_1', name: 'log', media_type: 'text/plain', size_bytes: 2, digest: 'sha256:log', body_base64: 'b2s=' },
  ],
}
const PARKING = {
  gate: {
    ...{ id: 'gate_1', attempt: 1, kind: 'approval' as const, view: { plan: {} } },
    required: { approvals: 1, approval_roles: [], prevent_self: true },
    expires_at: '2026-01-02T00:00:00.000Z',
  },
  ...{ because: ['policy'], nth: 0, action_type: 'http.write', operator: { id: 'http.request', version: 2 } },
  ...{ targets: { kind: 'http', ids: ['x'], count: 1 }, evidence: [{ step: 'look', digest: 'sha256:look' }] },
}
const LOST = { attempt: 1, message: 'the worker was lost' }
const CHARGED = { llm_micro_usd: 5, gpu_micro_usd: 6, storage_micro_usd: 7, overrun_micro_usd: 1 }
const LOGGED = ['step.log', 'step.log']
const BACKOFF = { delay_ms: 5_000, retry_at: '2026-01-01T00:00:05.000Z', let_go: true }
const FAILED_AT = { attempt: 2, made: MADE, judged: JUDGED, step_ended: false }

interface Case {
  of: Transition
  /** states from which the step comes to that of the settlement */
  from?: StepState[]
  settle?: object
  run?: RunStatus
  events?: string[]
  audit?: string[]
  let_go?: boolean
}

const CASES: Record<string, Case> = {
  succeeded: {
    of: succeeded(OF, MADE, BROUGHT),
    from: ['running', 'ready', 'pending'],
    settle: { state: 'succeeded', attempt: 2, outputs: { n: 1 }, artifacts: BROUGHT.artifacts, ...CHARGED },
    events: [...LOGGED, 'artifact.created', 'step.published', 'step.completed'],
    audit: ['step.settled'],
  },
  'succeeded, a read of a dry run': {
    of: succeeded(DRY, MADE, { ...BROUGHT, artifacts: [], predicted: { would: 'read' } }),
    from: ['running'],
    settle: { state: 'succeeded', simulation: { would: 'read' } },
    events: [...LOGGED, 'step.completed'],
    audit: ['step.settled'],
  },
  skipped: {
    of: skipped(OF),
    from: ['pending'],
    settle: { state: 'skipped', attempt: 0, outputs: {} },
    events: ['step.completed'],
  },
  delayed: {
    of: delayed(OF, '2026-01-01T00:00:00.000Z'),
    from: ['pending'],
    settle: { state: 'ready', attempt: 0, outputs: { until: '2026-01-01T00:00:00.000Z' } },
    events: ['run.progress'],
    let_go: true,
  },
  'retried later': {
    of: retried(OF, MADE, { error: ERROR, plan_hash: 'sha256:plan', backoff: BACKOFF }),
    from: ['running'],
    settle: { state: 'ready', attempt: 2, outputs: { until: BACKOFF.retry_at }, ...CHARGED },
    events: [...LOGGED, 'step.failed'],
    audit: ['step.settled'],
    let_go: true,
  },
  'retried at once': {
    of: retried(OF, MADE, { error: ERROR, plan_hash: 'sha256:plan', backoff: { delay_ms: 10, let_go: false } }),
    from: ['running'],
    settle: { state: 'ready', attempt: 2, error: { ...ERROR, step: 'act' } },
    events: [...LOGGED, 'step.failed'],
    audit: ['step.settled'],
    let_go: false,
  },
  cancelled: {
    of: cancelled(OF, MADE, { plan_hash: 'sha256:plan', is_read: false }),
    from: ['running'],
    settle: { state: 'cancelled', message: 'stopped while acting: the effect may have happened', ...CHARGED },
    events: LOGGED,
    audit: ['step.settled'],
  },
  opened: {
    of: opened(OF, JUDGED, { open: OPEN, effect: { approved_by: 'gate_1' } }),
    events: ['policy.decided', 'step.started'],
    audit: ['policy.decided'],
  },
  reopened: {
    of: reopened(OF, OPEN),
    from: ['running'],
    settle: { state: 'ready', attempt: 1, unsent: true },
  },
  'reopened after a call of a model': {
    of: reopened(OF, OPEN, MADE),
    from: ['running'],
    settle: { state: 'ready', attempt: 2, ...CHARGED },
    audit: ['step.settled'],
  },
  predicted: {
    of: predicted(DRY, { would: 'act', summary: 'post' }, { would: 'act' }, JUDGED),
    from: ['pending', 'ready'],
    settle: { state: 'skipped', attempt: 0, simulation: { would: 'act' } },
    events: ['policy.decided', 'step.completed'],
    audit: ['policy.decided'],
  },
  readFailed: {
    of: readFailed(DRY, MADE, { error: ERROR, plan_hash: 'sha256:plan', record: { would: 'fail' } }),
    from: ['running'],
    settle: { state: 'failed', attempt: 2, simulation: { would: 'fail' }, ...CHARGED },
    events: [...LOGGED, 'step.failed'],
    audit: ['step.settled'],
  },
  parked: {
    of: parked(OF, JUDGED, PARKING),
    events: ['policy.decided', 'gate.opened'],
    audit: ['policy.decided', 'gate.opened'],
  },
  'parked by a lost worker': {
    of: parked(OF, JUDGED, { ...PARKING, unknown: LOST }),
    from: ['running'],
    settle: { state: 'outcome_unknown', ...LOST },
    events: ['policy.decided', 'gate.opened'],
    audit: ['policy.decided', 'gate.opened'],
  },
  'parked by an unknown outcome': {
    of: parked(OF, JUDGED, { ...PARKING, unknown: { ...LOST, made: MADE } }),
    from: ['running'],
    settle: { state: 'outcome_unknown', ...LOST, ...CHARGED },
    events: [...LOGGED, 'policy.decided', 'gate.opened'],
    audit: ['step.settled', 'policy.decided', 'gate.opened'],
  },
  'failed by a policy': {
    of: failed(OF, { code: 'PolicyDenied', message: 'no', retryable: false }, { ...FAILED_AT, made: undefined }),
    from: ['pending', 'ready'],
    settle: { state: 'failed', attempt: 2 },
    run: 'failed',
    events: ['policy.decided', 'step.failed', 'run.failed'],
    audit: ['policy.decided', 'run.failed'],
  },
  'failed by its last attempt': {
    of: failed(OF, ERROR, FAILED_AT),
    from: ['running'],
    settle: { state: 'failed', attempt: 2, ...CHARGED },
    run: 'failed',
    events: [...LOGGED, 'step.failed', 'run.failed'],
    audit: ['step.settled', 'run.failed'],
  },
  'failed by a cap': {
    of: failed(
      OF,
      { code: 'BudgetExceeded', message: 'too dear', retryable: false },
      { attempt: 0, step_ended: false },
    ),
    from: ['pending', 'ready'],
    settle: { state: 'failed', attempt: 0 },
    run: 'failed',
    events: ['budget.exceeded', 'step.failed', 'run.failed'],
    audit: ['run.failed'],
  },
  'failed by its outputs': {
    of: failed(
      OF,
      { code: 'outputs_invalid', message: 'no such output', retryable: false },
      { attempt: 1, step_ended: true },
    ),
    run: 'failed',
    events: ['run.failed'],
    audit: ['run.failed'],
  },
  runSucceeded: {
    of: runSucceeded('sha256:template', { n: 1 }, true),
    run: 'succeeded',
    events: ['run.succeeded'],
    audit: ['run.succeeded'],
  },
  'dryRunEnded, well': {
    of: dryRunEnded('sha256:template', { dry_run: {} }),
    run: 'succeeded',
    events: ['run.succeeded'],
    audit: ['run.succeeded'],
  },
  'dryRunEnded, badly': {
    of: dryRunEnded('sha256:template', { dry_run: {} }, { step: 'act', code: 'PolicyDenied', message: 'no' }),
    run: 'failed',
    events: ['run.failed'],
    audit: ['run.failed'],
  },
  halted: { of: halted('act', 'halt_1'), run: 'running', events: ['run.progress'], let_go: true },
  standingLost: {
    of: standingLost('act', { who: 'usr_1', why: 'not_active' }),
    run: 'cancelled',
    events: ['run.cancelled'],
    audit: ['run.cancelled'],
  },
}

test.each(Object.entries(CASES))('%s', (_name, { of, from = [], settle, run, events = [], audit = [], let_go }) => {
  expect(of.settle).toEqual(settle && expect.objectContaining({ ...settle, step_id: 'act', ordinal: 3 }))
  for (const before of from) expect(STEP_TRANSITIONS[before]).toHaveProperty(of.settle?.state ?? '')
  expect(of.run?.status).toBe(run)
  expect(of.let_go).toBe(let_go)
  expect((of.events ?? []).map(({ type }) => type)).toEqual(events)
  expect((of.audit ?? []).map(({ action }) => action)).toEqual(audit)
  const keys = (of.events ?? []).map(({ key }) => key)
  expect(new Set(keys).size).toBe(keys.length)
})

test('what an opening says in the chain is what its gate and its policies said, and on what it stands', () => {
  const { audit, events = [] } = opened(OF, JUDGED, { open: OPEN, effect: { approved_by: 'gate_1' } })
  // the event tells a gate that was passed from one that opens
  expect([events, parked(OF, JUDGED, PARKING).events ?? []].map(([first]) => first?.data?.['led_to'])).toEqual([
    'effect',
    'gate',
  ])
  expect(audit).toMatchObject([
    {
      category: 'policy_decision',
      subject: { type: 'step', id: 'run_1:act' },
      data: {
        ...{ effect: 'deny', gate: true, because: ['policy'], plan_hash: 'sha256:plan', led_to: 'effect' },
        ...{ requested_by: 'usr_1', human_root: 'usr_1', environment: 'prod', approved_by: 'gate_1' },
        matched: VERDICT.matched,
      },
    },
  ])
})

test('an attempt is charged what it reports; without a report nothing is said, and the record charges what it holds', () => {
  const { settle } = succeeded(OF, { ...MADE, charge: { ...MADE.charge, basis: 'estimate' } }, BROUGHT)
  expect(settle).not.toHaveProperty('llm_micro_usd')
  const { log: _log, ...silent } = MADE
  expect(attemptEnded(OF, silent, { state: 'failed', plan_hash: 'sha256:plan' }).events).toEqual([])
})

test('a policy that denies is on record of a denial alone', () => {
  const other = failed(OF, { ...ERROR, code: 'timeout' }, { ...FAILED_AT, made: undefined })
  expect(other.audit?.map(({ action }) => action)).toEqual(['run.failed'])
})
