import { expect, test } from 'vitest'
import { auditAbout, auditAction, auditActor, auditOutcome } from '#client/audit-text.ts'
import { answeredBy } from '#client/gate-text.ts'

const record = (action: string, data: Record<string, unknown>, subject = { type: 'gate', id: 'gate_1' }) => ({
  event: {
    action,
    workspace_id: 'ws_1',
    actor: { type: 'user', id: 'usr_1', auth: 'jwt' },
    run_id: 'run_1',
    subject,
    data,
  },
})
const PACK = 'the pack requires approval for this step'

test.each([
  [{ effect: 'allow_auto', gate: false, because: [] }, 'the policies allow it; no approval is required'],
  [{ effect: 'allow_auto', gate: true, because: [PACK] }, `the policies allow it; approval is required: ${PACK}`],
  [
    { effect: 'allow_auto', gate: true, because: [PACK], approved_by: 'gate_1' },
    `the policies allow it; approval is required: ${PACK}; approved in gate_1`,
  ],
  [{ effect: 'require_hitl', gate: true, because: ['a'] }, 'a policy requires approval; approval is required: a'],
  [{ effect: 'deny', gate: false, because: [] }, 'a policy denies it'],
  [{ effect: 'new_one', gate: false }, 'new_one'],
])('a decision of the policies %j is told as %s', (data, text) => {
  expect(auditOutcome(record('policy.decided', data))).toBe(text)
})

test('an answer says which it was, what became of the gate, and the note', () => {
  const data = { decision: 'approve', status: 'approved', step: 'restart', note: 'seen' }
  expect(auditOutcome(record('gate.decided', data))).toBe('approve: approved: seen')
})

test('says what it is about by the step and what the run is about, and by the id where that is not known', () => {
  const about = 'checkout answers 503'
  const step = { type: 'step', id: 'run_1:restart' }
  expect(auditAbout({ ...record('gate.decided', { step: 'restart' }), about })).toBe(`restart of ${about}`)
  expect(auditAbout({ ...record('policy.decided', {}, step), about })).toBe(`restart of ${about}`)
  expect(auditAbout({ ...record('run.admitted', {}, { type: 'run', id: 'run_1' }), about })).toBe(about)
  expect(auditAbout({ ...record('artifact.kept', {}, { type: 'artifact', id: 'a' }), about })).toBe(`a of ${about}`)
  expect(auditAbout(record('gate.decided', { step: 'restart' }))).toBe('gate_1')
})

test('an answer by a link alone names the link, because a link can be passed on', () => {
  expect(auditActor(record('gate.decided', {}))).toBe('usr_1')
  const { event } = record('gate.decided', {})
  const actor = { type: 'user', id: 'hooks.example.test#e179', auth: 'magic_link' }
  expect(auditActor({ event: { ...event, actor } })).toBe('holder of the link sent to hooks.example.test')
})

test('the actor without sign-in is the local owner', () => {
  const { event } = record('gate.decided', {})
  expect(auditActor({ event: { ...event, actor: { type: 'user', id: 'usr_local', auth: 'none' } } })).toBe(
    'the local owner',
  )
})

test('who answered is named, or by a link alone where that was sent', () => {
  expect(answeredBy({ by: 'usr_1', name: 'Ann' })).toBe('Ann')
  expect(answeredBy({ by: '127.0.0.1:8025#e179' })).toBe('holder of the link sent to 127.0.0.1:8025')
  expect(answeredBy({ by: 'ann@example.test' })).toBe('holder of the link sent to ann@example.test')
  expect(answeredBy({ by: 'local' })).toBe('local')
})

test('says what happened in words, of an answer which it was, and of an action from elsewhere its name', () => {
  expect(auditAction(record('halt.set', {}))).toBe('Halt set')
  expect(auditAction(record('gate.decided', { decision: 'reject' }))).toBe('Gate rejected')
  expect(auditAction(record('gate.decided', { decision: 'dismiss' }))).toBe('Gate dismissed')
  expect(auditAction(record('other.done', {}))).toBe('other.done')
})

test.each([
  ['halt', { scope: { workspace: 'ws_1' } }, 'everything in this workspace'],
  ['halt', { scope: {} }, 'everything in every workspace'],
  [
    'halt',
    { scope: { workspace: 'ws_1', environment: 'production', template: 'sre/triage', requester: 'usr_1' } },
    'template sre/triage, environment production, runs of usr_1 in this workspace',
  ],
  ['connection', { name: 'warehouse' }, 'warehouse'],
  ['api_key', { prefix: 'svc_ab12' }, 'svc_ab12'],
  ['gate', { name: 'of something else' }, 'liftHalt'],
  ['operation', { route: '/console/api/halts/{id}' }, 'lift halt'],
])('without a run, a record about a %s with %j says %s', (type, data, text) => {
  expect(auditAbout(record('a.b', data, { type, id: 'liftHalt' }))).toBe(text)
})

test('the workspace of the log and the service have no ids', () => {
  expect(auditAbout(record('workspace.updated', {}, { type: 'workspace', id: 'ws_1' }))).toBe('this workspace')
  const { event } = record('run.succeeded', {})
  const by = (id: string) => auditActor({ event: { ...event, actor: { type: 'system', id, auth: 'none' } } })
  expect(['svc', 'temporal'].map(by)).toEqual(['the service', 'somebody through the engine'])
})
