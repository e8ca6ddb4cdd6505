import { describe, expect, test } from 'vitest'
import { checkInvariants } from '#test/attack/breach.ts'
import type { Evidence } from '#test/attack/evidence.ts'
import { INVARIANTS } from '#test/attack/invariants/index.ts'

const TOKEN = 'canary-0123456789abcdef01234567'
const SHOWN = `curl -X POST 'http://t/m/act' --data '{"marker":"m","step":"act","token":"<hidden>"}'`
const GATE = { id: 'gate', run_id: 'run', step_id: 'act', plan_hash: 'sha256:1', resolved_ms: 1_000, expires_ms: 9_000 }

/** One run with a secret that dora and dave approved, and that did what it should. */
function honest(): Evidence {
  const votes = ['dora', 'dave'].map((by) => ({ gate_id: 'gate', run_id: 'run', by, decision: 'approve' }))
  return {
    seed: 7,
    began: 0,
    runs: [{ id: 'run', nth: 0, kind: 'sealed', fate: 'approve', marker: 'm', token: TOKEN, prey: false }],
    cast: votes.map((vote) => ({
      ...vote,
      decision: 'approve' as const,
      plan_hash: 'sha256:1',
      shown: SHOWN,
      step: 'act',
      status: 200,
      code: null,
      ms: 5,
    })),
    attempts: [],
    harmed: [],
    people: { dora: 'dora', dave: 'dave', ann: 'ann', starter: 'starter' },
    starter: 'starter',
    target: [effect()],
    elsewhere: [],
    rows: [{ id: 'run', status: 'succeeded', status_reason: null, ended_ms: 2_000 }],
    started: [{ id: 'run', trigger: 'direct' }],
    gates: [{ ...GATE, status: 'approved', resolution: { by: 'dave' } }],
    votes: votes.map((vote) => ({ ...vote, asserted: false, channel: 'api', auth: 'jwt' })),
    events: [{ run_id: 'run', type: 'gate.resolved', actor: { type: 'user', id: 'dave' } }],
    audit: [audit({})],
    chain_fault: undefined,
    texts: [['history', 'nothing to see']],
    executions: [],
    healthy: '200 {}',
    metrics: '',
  }
}

function effect(changes: Partial<Evidence['target'][number]> = {}): Evidence['target'][number] {
  return {
    method: 'POST',
    url: '/m/act',
    headers: { 'idempotency-key': 'run:act', authorization: `Bearer ${TOKEN}` },
    body: `{"marker":"m","step":"act","token":"${TOKEN}"}`,
    at: 1_500,
    ...changes,
  }
}

function audit(changes: Partial<Evidence['audit'][number]>): Evidence['audit'][number] {
  return {
    v: 1,
    seq: 1,
    id: 'aud',
    ts: '2026-01-01T00:00:00.000Z',
    category: 'approval',
    action: 'gate.decided',
    workspace_id: 'ws',
    actor: { type: 'user', id: 'dave', auth: 'jwt' },
    channel: 'api',
    run_id: 'run',
    subject: { type: 'gate', id: 'gate' },
    data: { decision: 'approve' },
    ...changes,
  }
}

const broken = (evidence: Evidence) => [
  ...new Set(checkInvariants(INVARIANTS, evidence).map(({ invariant }) => invariant)),
]

const attempt = { index: 3, kind: 'decide', variant: 'approve', run_id: 'run', result: 'taken' as const, detail: '' }

const CASES: [name: string, invariant: string, change: (evidence: Evidence) => Partial<Evidence>][] = [
  ['a vote is missing', 'no effect without its votes', ({ votes }) => ({ votes: votes.slice(1) })],
  ['a vote was never cast', 'no effect without its votes', ({ cast }) => ({ cast: cast.slice(1) })],
  ['the gate is not approved', 'no effect without its votes', () => ({ gates: [] })],
  [
    'people saw another plan',
    'no effect without its votes',
    ({ cast }) => ({ cast: cast.map((vote) => ({ ...vote, plan_hash: 'sha256:2' })) }),
  ],
  [
    'it came before the approval',
    'no effect without its votes',
    ({ gates }) => ({ gates: gates.map((gate) => ({ ...gate, resolved_ms: 9_000 })) }),
  ],
  ['another body arrives', 'no effect but the approved plan', () => ({ target: [effect({ body: '{"marker":"m"}' })] })],
  [
    'the bytes are not those that were shown',
    'no effect but the approved plan',
    () => ({ target: [effect({ body: `{"step":"act","marker":"m","token":"${TOKEN}"}` })] }),
  ],
  ['something arrives elsewhere', 'no effect but the approved plan', () => ({ elsewhere: [effect({ body: '' })] })],
  [
    'it happens twice under two keys',
    'no effect twice',
    ({ target }) => ({ target: [...target, effect({ headers: { ...effect().headers, 'idempotency-key': 'other' } })] }),
  ],
  [
    'a run starts by itself',
    'nothing starts by itself',
    ({ started }) => ({ started: [...started, { id: 'x', trigger: 'schedule' }] }),
  ],
  ['the secret stands in a history', 'no secret leaves', () => ({ texts: [['history', `so ${TOKEN} it is`]] })],
  [
    'the secret stands there in base64',
    'no secret leaves',
    () => ({ texts: [['history', Buffer.from(TOKEN).toString('base64')]] }),
  ],
  [
    'somebody is said to have decided who did not',
    'no forged author',
    () => ({ audit: [audit({ actor: { type: 'user', id: 'ann', auth: 'jwt' } })] }),
  ],
  [
    'a machine is called a user',
    'no forged author',
    () => ({ audit: [audit({ actor: { type: 'user', id: 'temporal', auth: 'none' } })] }),
  ],
  [
    'a refused claim is not on record',
    'refused claims on record',
    ({ gates }) => ({
      gates: [...gates, { ...GATE, id: 'open', status: 'open', resolution: null, resolved_ms: null }],
      attempts: [{ ...attempt, at: 1, ms: 1, claim: 'open' }],
      metrics: 'svc_claims_refused_total{kind="not_signed"} 1',
    }),
  ],
  [
    'a flood of claims floods the record',
    'refused claims on record',
    ({ audit: before }) => ({
      audit: [
        ...before,
        ...Array.from({ length: 9 }, () =>
          audit({
            action: 'claim.refused',
            actor: { type: 'system', id: 'temporal', auth: 'none' },
            channel: 'temporal',
            data: { kind: 'not_signed' },
          }),
        ),
      ],
    }),
  ],
  [
    'what people decided did not happen',
    'honest decisions work',
    ({ rows }) => ({ rows: rows.map((row) => ({ ...row, status: 'failed' })) }),
  ],
  [
    'a run waits for a workflow that is gone',
    'ends are on record',
    ({ rows, runs }) => ({
      rows: rows.map((row) => ({ ...row, status: 'awaiting_approval', ended_ms: null })),
      runs: runs.map((run) => ({ ...run, fate: 'silent' as const })),
    }),
  ],
  [
    'a gate expires early',
    'ends are on record',
    ({ gates }) => ({
      gates: gates.map((gate) => ({ ...gate, status: 'expired', resolution: { by: 'system', cause: 'ttl' } })),
    }),
  ],
  ['the chain is broken', 'the service holds', () => ({ chain_fault: 'broken at record 3' })],
]

describe('the invariants of the attack', () => {
  test('hold for what is as it should be', () => {
    expect(checkInvariants(INVARIANTS, honest())).toEqual([])
  })

  test.each(CASES)('break when %s: %s', (_name, invariant, change) => {
    const evidence = honest()
    expect(broken({ ...evidence, ...change(evidence) })).toContain(invariant)
  })

  test('name the seed, the run and the actions on it', () => {
    const evidence = honest()
    const [breach] = checkInvariants(INVARIANTS, {
      ...evidence,
      votes: evidence.votes.slice(1),
      attempts: [{ ...attempt, at: 1, ms: 1, claim: null }],
    })
    expect(breach?.message).toContain('seed 7')
    expect(breach?.message).toContain('run 0, sealed')
    expect(breach?.message).toContain('#3 decide (approve)')
  })
})
