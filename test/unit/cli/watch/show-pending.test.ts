import { expect, test } from 'vitest'
import { showPending } from '#cli/watch/show-pending.ts'
import type { Schema } from '#client/create-client.ts'

const HOSTILE = 'harmless\u001b[2J\u001b[1;1H\u202eelif eteled\u0007\r'
const UNSAFE = /[\p{Cc}\p{Cf}]/u

function pendingWith(text: string): Schema<'PendingApproval'> {
  return {
    acknowledged: [],
    comments: [],
    run_id: 'run_00000000000000000000000000',
    gate_id: 'gate_00000000000000000000000000',
    kind: 'approval',
    step: 'act',
    opened_at: '2026-01-01T00:00:00.000Z',
    needs_confirmation: false,
    expires_at: '2026-01-08T00:00:00.000Z',
    operation: {
      operator: text,
      action_type: 'service.restart',
      capabilities: [],
      risk: 'medium',
      environment: text,
      targets: { kind: 'url', ids: [text] },
      queue: { name: 'ml', task_queue: text, attest: text },
      connection: { id: 'main', kind: 'postgres', host: 'db.test:5432', database: text, user: 'ops' },
    },
    plan: { summary: text, command: `first ${text}\nsecond`, diff: { format: 'text', body: `-${text}\n+b` } },
    plan_hash: `sha256:${'0'.repeat(64)}`,
    inputs: {},
    secret_commitments: {},
    reason: text,
    because: [text],
    simulation: { seen: text },
    authorities: {},
    required: { approvals: 2, approval_roles: [[text, 'dba'], ['lead']], prevent_self: false },
    requester: { id: 'usr_1', display: text, email: 'ann@example.test' },
    missing: { approvals: 1, roles: [['lead']], text: '1 more approval, from lead' },
    decisions: [
      {
        by: 'usr_2',
        person: { id: 'usr_2', display: text },
        decision: 'approve',
        counts: true,
        at: '2026-01-01T00:00:00.000Z',
        channel: 'api',
        note: text,
      },
    ],
    allowed_decisions: ['approve', 'reject'],
    evidence: [
      {
        title: text,
        kind: 'step',
        step: 'look',
        ref: '/runs/r/steps/look',
        digest: 'd',
        excerpt: `a: ${text}`,
        cut: true,
        age_s: 1,
      },
    ],
    cost: { spent_usd: 0, reserved_usd: 0, cap_usd: 1 },
    channels: [],
    broken_policies: [text],
    halts: [{ id: 'halt_1', reason: text, by: text }],
  }
}

function shown(text: string): string[] {
  const lines: string[] = []
  showPending((line) => lines.push(...line.split('\n')), pendingWith(text))
  return lines
}

test('whatever a plan says, it cannot move the cursor or hide a part of itself', () => {
  const lines = shown(HOSTILE)
  // the colours of our own labels aside
  const text = lines.map((line) => line.replace(/^ {3}(\p{Cc}\[\d+m)?[\w :]+(\p{Cc}\[\d+m)?/u, ''))
  expect(text.filter((line) => UNSAFE.test(line))).toEqual([])
  expect(lines.join('\n')).toContain('harmless\\u{1b}[2J')
})

test('says what will run, line by line, what it takes, and which plan it is', () => {
  const lines = shown('plain').map((line) => line.trim())
  const all = lines.join('\n')
  expect(all).toContain('first plain')
  expect(lines).toContain('second')
  expect(all).toContain('main (postgres db.test:5432, database plain, as ops)')
  expect(all).toContain('ml, the task queue plain, signed by plain')
  expect(all).toContain('2 approvals, from plain or dba and lead; 1 vote so far')
  expect(all).toContain('1 more approval, from lead')
  expect(all).toContain('plain <ann@example.test>')
  expect(all).toContain('plain: approve (plain)')
  expect(lines).toContain('a: plain')
  expect(lines).toContain('(all of it: /runs/r/steps/look)')
  expect(all).toContain('plain (plain, halt_1); continues when it is lifted')
  expect(all).toContain(`sha256:${'0'.repeat(64)}`)
  expect(lines.find((line) => line.includes('{"seen":"plain"}'))).toMatch(/simulated/)
})

test('says what else may be reached, and that another plan was approved before', () => {
  const lines: string[] = []
  const pending = pendingWith('plain')
  showPending((line) => lines.push(line), {
    ...pending,
    operation: { ...pending.operation, egress: ['10.0.0.0/8', 'loopback'] },
    because: ['plan_changed', 'the pack requires it'],
  })
  const all = lines.join('\n')
  expect(all).toContain('public addresses, 10.0.0.0/8, loopback')
  expect(all).toContain('what was approved before is not what would run now (plan_changed); the pack requires it')
})

test('everything that the deployment gives is said, also what has parts', () => {
  const lines: string[] = []
  const pending = pendingWith('x')
  const deployment = { command: '/opt/job', user: null, env: { LANG: 'C' }, limits: { memory_mb: 512 } }
  showPending((line) => lines.push(line), { ...pending, operation: { ...pending.operation, deployment } })
  const shown = lines.map((line) => line.trim().split(/\s{2,}/))
  expect(shown).toEqual(
    expect.arrayContaining([
      ['command', '/opt/job'],
      ['user', 'none'],
      ['env', '{"LANG":"C"}'],
      ['limits', '{"memory_mb":512}'],
    ]),
  )
})
