import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { AUTH_ENV, createIdentities, type Identities, letAnswer, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const environment = (name: string, more: string) =>
  `apiVersion: svc/v1\nname: ${name}\nclass: development\negress: [loopback]\n${more}\n`
const role = (name: string, where: string, more = '') =>
  `name: ${name}-${where}\napplies_to: { environments: [${where}], action_types: [service.restart] }\nrules: [{ effect: require_hitl, reason: ${name} decides, ${name === 'anyone' ? '' : `approval_role: ${name}, `}${more} }]\n`

const FILES = {
  'environments/pair.yaml': environment('pair', 'approval: { min_approvals: 2, prevent_self: true }'),
  'environments/two-roles.yaml': environment('two-roles', 'approval: { min_approvals: 2 }'),
  'environments/noted.yaml': environment('noted', ''),
  'environments/lent.yaml': environment('lent', 'approval: { prevent_self: true }'),
  'environments/thaw.yaml': environment('thaw', ''),
  'environments/frozen.yaml': environment(
    'frozen',
    'freeze: [{ name: year-end, interval: { from: "2020-01-01T00:00:00Z", to: "2090-01-01T00:00:00Z" } }]',
  ),
  'policies/dba.yaml': role('dba', 'two-roles'),
  'policies/security.yaml': role('security', 'two-roles'),
  'policies/lent.yaml': role('dba', 'lent'),
  'policies/noted.yaml': role('anyone', 'noted', 'require_note: reject'),
  'profiles/exact.yaml': 'name: exact\nrequire_plan_hash: true\n',
}

let service: TestService
let demo: DemoService
let identities: Identities
let starter: Member
let first: Member
let second: Member

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: AUTH_ENV,
    files: FILES,
  })
  demo = await startDemoService()
  identities = await createIdentities(service)
  starter = await identities.add('starter', { roles: ['operator'] })
  first = await identities.add('first', { roles: ['approver'] })
  second = await identities.add('second', { roles: ['approver'] })
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})
beforeEach(async () => void (await fetch(`${demo.url}/fault`, { method: 'POST' })))

interface Reply {
  status: number
  body: Record<string, unknown> & { code?: string; resolved?: boolean; approvals?: { have: number; need: number } }
}

async function start(body: object, by: Member): Promise<Reply & { body: { id: string } }> {
  return await service.call(
    'POST',
    '/packs/sre/service-recovery/run',
    { inputs: { url: demo.url }, ...body },
    by.headers,
  )
}

async function park(body: object, by: Member = starter): Promise<string> {
  const started = await start(body, by)
  expect(started.body).toMatchObject({ id: expect.stringMatching(/^run_/) })
  const { id } = started.body
  await service.until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval', PATIENCE.timeout, by.headers)
  return id
}

async function decide(id: string, by: Member, body: object = {}): Promise<Reply> {
  return await service.call('POST', `/runs/${id}/resume`, { decision: 'approve', ...body }, by.headers)
}

async function approvalOf(id: string, by: Member = starter) {
  const { body } = await service.call<{ plan_hash: string; required: object; decisions: object[] }>(
    'GET',
    `/runs/${id}/pending-approval`,
    undefined,
    by.headers,
  )
  return body
}

interface AuditEvent {
  action: string
  actor: { type: string; id: string; auth: string }
  channel?: string
  data: Record<string, unknown>
  run_id?: string
}

/** The record is written beside the answer: it is read until it holds as much as is expected. */
async function auditOf(id: string, action: string, count = 1): Promise<AuditEvent[]> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const found = chainEvents<AuditEvent>(service.home).filter(
      (event) => event.run_id === id && event.action === action,
    )
    if (found.length >= count || Date.now() > deadline) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('a quorum', () => {
  test('takes two people, neither of whom asked for the run, and nobody twice', async () => {
    const id = await park({ environment: 'pair' })
    expect(await decide(id, starter)).toMatchObject({ status: 403, body: { code: 'self_approval' } })
    expect(await decide(id, first)).toMatchObject({
      status: 200,
      body: { resolved: false, approvals: { have: 1, need: 2 } },
    })
    expect(await decide(id, first)).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect((await approvalOf(id)).decisions).toMatchObject([{ by: first.id, decision: 'approve', channel: 'api' }])
    expect(demo.state().actions).toEqual([])
    expect(await decide(id, second)).toMatchObject({
      status: 200,
      body: { resolved: true, approvals: { have: 2, need: 2 }, resolved_by: second.id },
    })
    expect((await ended(service, id, PATIENCE.timeout, starter.headers)).status).toBe('succeeded')
    const decided = await auditOf(id, 'gate.decided', 2)
    expect(decided.map((event) => event.actor)).toEqual([
      { type: 'user', id: first.id, auth: 'jwt' },
      { type: 'user', id: second.id, auth: 'jwt' },
    ])
    expect((await auditOf(id, 'gate.refused', 2)).map((event) => event.data['code'])).toEqual([
      'self_approval',
      'conflict',
    ])
  })

  test('needs every role that a policy names, and one person may lack the other', async () => {
    const dba = await identities.add('dba-one', { roles: ['approver'], approval_roles: ['dba'] })
    const viewer = await identities.add('viewer-one', { roles: ['viewer'] })
    const security = await identities.add('security-one', { roles: ['approver'], approval_roles: ['security'] })
    const id = await park({ environment: 'two-roles' })
    expect(await decide(id, first)).toMatchObject({
      status: 403,
      body: {
        code: 'approver_not_allowed',
        detail: expect.stringMatching(/the role (dba, and security|security, and dba); the approver has approver/),
        required_roles: expect.arrayContaining([['dba'], ['security']]),
      },
    })
    expect(await decide(id, dba)).toMatchObject({ status: 200, body: { resolved: false } })
    const asked = await approvalOf(id, first)
    expect(asked).toMatchObject({
      requester: { id: starter.id, email: starter.email },
      missing: { approvals: 1, roles: [['security']], text: '1 more approval, from security' },
      decisions: [{ by: dba.id, person: { id: dba.id, email: dba.email } }],
    })
    expect(JSON.stringify((await approvalOf(id, viewer)).decisions)).not.toContain('email')
    expect(await decide(id, first)).toMatchObject({ status: 403, body: { required_roles: [['security']] } })
    expect(await decide(id, security)).toMatchObject({ status: 200, body: { resolved: true } })
    expect((await ended(service, id, PATIENCE.timeout, starter.headers)).status).toBe('succeeded')
  })

  test('any single rejection ends it', async () => {
    const id = await park({ environment: 'pair' })
    await decide(id, first)
    expect(await decide(id, second, { decision: 'reject' })).toMatchObject({
      status: 200,
      body: { resolved: true, status: 'rejected' },
    })
    expect((await ended(service, id, PATIENCE.timeout, starter.headers)).status).toBe('rejected')
  })
})

describe('who is meant', () => {
  test('a token speaks for its own person only', async () => {
    const id = await park({})
    expect(await decide(id, first, { approver: second.id })).toMatchObject({
      status: 403,
      body: { code: 'approver_not_allowed' },
    })
    expect((await auditOf(id, 'gate.refused')).at(-1)).toMatchObject({ actor: { id: first.id } })
    expect(await decide(id, first, { approver: first.email })).toMatchObject({ status: 200 })
    await ended(service, id, PATIENCE.timeout, starter.headers)
  })

  test('a service account answers for a person whom it names, and both are stored', async () => {
    const bot = await identities.add('bot', { roles: ['service'], scopes: ['approvals:on_behalf'] })
    await letAnswer(service, bot, second)
    const id = await park({})
    expect(await decide(id, bot)).toMatchObject({ status: 403, body: { code: 'approver_not_allowed' } })
    expect(await decide(id, bot, { approver: 'nobody@example.test' })).toMatchObject({ status: 403 })
    expect(await decide(id, bot, { approver: second.email })).toMatchObject({
      status: 200,
      body: { resolved: true, resolved_by: second.id },
    })
    await ended(service, id, PATIENCE.timeout, starter.headers)
    expect((await auditOf(id, 'gate.decided')).at(-1)).toMatchObject({
      actor: { id: second.id },
      data: { via: bot.id },
    })
  })

  test('a service account that is refused in a name, and one that answers twice, is told why and stands on record', async () => {
    const bot = await identities.add('twice-bot', { roles: ['service'], scopes: ['approvals:on_behalf'] })
    await letAnswer(service, bot, first, second)
    const id = await park({ environment: 'pair' })
    expect(await decide(id, bot, { approver: first.email })).toMatchObject({ status: 200, body: { resolved: false } })
    const again = await decide(id, bot, { approver: second.email })
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(String(again.body['detail'])).toContain('the person behind this service account has answered here already')
    expect((await auditOf(id, 'gate.refused')).at(-1)).toMatchObject({
      actor: { type: 'user', id: second.id },
      data: { code: 'conflict', via: bot.id },
    })
  })

  test('a service account without that scope decides nothing, and a viewer neither', async () => {
    const plain = await identities.add('plain-bot', { roles: ['service'] })
    const viewer = await identities.add('onlooker', { roles: ['viewer'] })
    const id = await park({})
    for (const by of [plain, viewer])
      expect(await decide(id, by)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await decide(id, first, { decision: 'reject' })).toMatchObject({ status: 200 })
  })

  test('who started the run through a service account is still the one who answers for it', async () => {
    const bot = await identities.add('ci-bot', { roles: ['service'] })
    const id = await park({ environment: 'pair' }, bot)
    expect(await decide(id, identities.owner)).toMatchObject({ status: 403, body: { code: 'self_approval' } })
    expect(await decide(id, first, { decision: 'reject' })).toMatchObject({ status: 200 })
  })

  test('while someone is out of office, the delegate decides with the lent role, which the record says', async () => {
    const dba = await identities.add('dba-away', { roles: ['operator'], approval_roles: ['dba'] })
    const id = await park({ environment: 'lent' })
    expect(await decide(id, second)).toMatchObject({ status: 403, body: { code: 'approver_not_allowed' } })
    const away = { out_of_office_until: new Date(Date.now() + 3_600_000).toISOString(), delegate_to: second.id }
    expect((await service.call('PATCH', '/auth/me', away, dba.headers)).status).toBe(200)
    const own = await park({ environment: 'lent' }, dba)
    expect(await decide(own, second)).toMatchObject({ status: 403, body: { code: 'approver_not_allowed' } })
    expect(await decide(id, second)).toMatchObject({ status: 200, body: { resolved: true, resolved_by: second.id } })
    await ended(service, id, PATIENCE.timeout, starter.headers)
    expect((await auditOf(id, 'gate.decided')).at(-1)?.data['delegations']).toMatchObject([{ of: dba.id }])
    expect(await decide(own, second, { decision: 'reject' })).toMatchObject({ status: 200 })
  })
})

describe('what a rule asks for', () => {
  test('a note with a rejection', async () => {
    const id = await park({ environment: 'noted' })
    expect((await approvalOf(id)).required).toMatchObject({ require_note: 'reject' })
    expect(await decide(id, first, { decision: 'reject' })).toMatchObject({
      status: 422,
      body: { code: 'note_required' },
    })
    expect(await decide(id, first, { decision: 'reject', note: '  ' })).toMatchObject({ status: 422 })
    expect(await decide(id, first, { decision: 'reject', note: 'wrong service' })).toMatchObject({ status: 200 })
  })

  test('the plan hash that was shown', async () => {
    const id = await park({ profile: 'exact' })
    expect(await decide(id, first)).toMatchObject({ status: 422, body: { code: 'plan_hash_required' } })
    const other = `sha256:${'0'.repeat(64)}`
    expect(await decide(id, first, { plan_hash: other })).toMatchObject({ status: 409, body: { code: 'plan_changed' } })
    const { plan_hash } = await approvalOf(id)
    expect(await decide(id, first, { plan_hash })).toMatchObject({ status: 200 })
    await ended(service, id, PATIENCE.timeout, starter.headers)
  })

  test('nothing starts during a freeze, and nothing is approved in one that came after', async () => {
    expect(await start({ environment: 'frozen' }, starter)).toMatchObject({ status: 403, body: { code: 'frozen' } })
    const id = await park({ environment: 'thaw' })
    const text = environment(
      'thaw',
      'freeze: [{ name: incident, interval: { from: "2020-01-01T00:00:00Z", to: "2090-01-01T00:00:00Z" } }]',
    )
    await writeFile(join(service.home, 'environments/thaw.yaml'), text)
    await untilFrozen('thaw')
    expect(await decide(id, first)).toMatchObject({ status: 403, body: { code: 'frozen' } })
    expect(await decide(id, first, { decision: 'reject' })).toMatchObject({ status: 200 })
  })
})

/** The API has read the new environment file. A dry run that still starts leaves no effect. */
async function untilFrozen(name: string): Promise<void> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const { status, body } = await start({ environment: name, dry_run: true }, starter)
    if (status === 403) return
    await service.call('POST', `/runs/${body.id}/cancel`, {}, starter.headers)
    if (Date.now() > deadline) throw new Error('the freeze did not arrive')
  }
}
