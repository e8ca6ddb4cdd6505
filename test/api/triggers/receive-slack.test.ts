import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GateCommand } from '#core/contract.ts'
import { slack as slackKind } from '#platform/notify/kinds/slack.ts'
import { createTestApi, type TestApi, type TestApiOptions } from '#test/support/api-client.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createRecordDeps, createRecordEngine } from '#test/support/record-engine.ts'
import { pressed, slackRequest, submitted } from '#test/support/slack-app.ts'
import { startSlackEmulator } from '#test/support/slack-emulator.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, SECRET } from '#test/support/users.ts'

const TOKEN = 'xoxb-emulated'
const SIGNING = 'the signing secret'
const OLD_SIGNING = 'the signing secret of before'
const PLAN = `sha256:${'a'.repeat(64)}`
const SECRETS: Record<string, string> = { 'env:BOT': TOKEN, 'env:SIGNING': SIGNING, 'env:OLD': OLD_SIGNING }

let decided: GateCommand[] = []

async function apiWith(options: TestApiOptions): Promise<TestApi> {
  const channel = slackKind.open({
    name: 'chat',
    kind: 'slack',
    channel: '#ops',
    token: 'env:BOT',
    signing_secret: ['env:SIGNING', 'env:OLD'],
    api_url: slack.api_url,
  })
  const channels = {
    get: (name: string) => (name === 'chat' ? channel : undefined),
    secret: (of: string) => SECRETS[of] ?? '',
    list: () => [],
    errors: () => [],
    secretProblems: () => [],
  }
  const open = options.secret === undefined
  const engine = createRecordEngine(createRecordDeps(database.db, { open, signals_approve: open }), {
    onDecide: (command) => void decided.push(command),
  })
  return await createTestApi(database, {
    ...options,
    services: { engine, ...options.services },
    channels,
  })
}

const database = testDatabase()
const slack = fileFixture(() =>
  startSlackEmulator(TOKEN, {
    U0ALICE: 'alice@example.test',
    U0VIEWER: 'viewer@example.test',
    U0STRANGER: 'stranger@example.test',
  }),
)
const open = fileFixture(() => apiWith({}))
const guarded = fileFixture(() => apiWith({ secret: SECRET }))
beforeAll(async () => {
  await addUser(guarded.deps, { email: 'alice@example.test', roles: ['approver'], approval_roles: ['dba'] })
  await addUser(guarded.deps, { email: 'viewer@example.test', roles: ['viewer'] })
})
beforeEach(() => {
  decided = []
  slack.whispers.length = 0
  slack.views.length = 0
})

async function park(api: TestApi, required = {}): Promise<{ run_id: string; gate_id: string; plan_hash: string }> {
  const run_id = await admitTestRun(api)
  const gate_id = await parkTestRun(api, run_id, {
    required: { approvals: 1, approval_roles: [], prevent_self: false, ...required },
  })
  return { run_id, gate_id, plan_hash: PLAN }
}

const post = (api: TestApi, payload: object, secret = SIGNING, at_ms = Date.now()) =>
  api.app.request('/triggers/slack/chat', slackRequest(payload, { secret, at_ms }))

describe('a button in Slack', () => {
  it('decides in the name of anyone who has the mail address of the profile', async () => {
    const target = await park(guarded, { approval_roles: [['dba']] })
    expect((await post(guarded, pressed('approve', target))).status).toBe(200)
    await vi.waitFor(() => expect(decided).toHaveLength(1), PATIENCE)
    expect(decided).toMatchObject([
      { gate_id: target.gate_id, kind: 'approve', channel: 'slack', asserted: false, auth: 'signature' },
    ])
    expect(decided[0]?.by).toMatch(/^usr_/)
  })

  it('decides nothing for a member whom nobody knows, or who may not decide, and tells them alone', async () => {
    const target = await park(guarded)
    for (const id of ['U0STRANGER', 'U0VIEWER']) {
      await post(guarded, pressed('approve', target, { id, username: 'alice' }))
      await vi.waitFor(() => expect(slack.whispers.map(({ user }) => user)).toContain(id), PATIENCE)
    }
    expect(decided).toEqual([])
    const refused = await database.db`
      select draft from audit_outbox
      where draft ->> 'action' = 'gate.refused' and draft -> 'subject' ->> 'id' = ${target.gate_id}`
    expect(refused).toHaveLength(2)
  })

  it('takes the name in Slack as an assertion while authentication is off', async () => {
    const target = await park(open)
    await post(open, pressed('approve', target))
    await vi.waitFor(() => expect(decided).toHaveLength(1), PATIENCE)
    expect(decided).toMatchObject([{ by: 'slack:alice', asserted: true, channel: 'slack' }])
  })

  it('asks for a note where a rejection needs one, and decides with it', async () => {
    const target = await park(guarded, { require_note: 'reject' })
    await post(guarded, pressed('reject', target))
    await vi.waitFor(() => expect(slack.views).toHaveLength(1), PATIENCE)
    expect(decided).toEqual([])
    await post(guarded, submitted(slack.views[0] ?? {}, 'not today'))
    await vi.waitFor(() => expect(decided).toHaveLength(1), PATIENCE)
    expect(decided).toMatchObject([{ kind: 'reject', note: 'not today', gate_id: target.gate_id }])
  })

  it('rejects at once where no note is needed', async () => {
    await post(guarded, pressed('reject', await park(guarded, { require_note: undefined })))
    await vi.waitFor(() => expect(decided).toMatchObject([{ kind: 'reject' }]), PATIENCE)
    expect(slack.views).toEqual([])
  })

  it('is about one plan and one gate', async () => {
    const target = await park(guarded)
    await post(guarded, pressed('approve', { ...target, plan_hash: `sha256:${'b'.repeat(64)}` }))
    await vi.waitFor(() => expect(slack.whispers).toHaveLength(1), PATIENCE)
    expect(slack.whispers[0]?.text).toContain('plan has changed')
    const other = await park(guarded)
    await post(guarded, pressed('approve', { ...target, gate_id: other.gate_id }))
    await post(guarded, pressed('approve', { ...target, channel: 'another' }))
    await vi.waitFor(() => expect(slack.whispers).toHaveLength(3), PATIENCE)
    expect(decided).toEqual([])
  })

  it('counts only with a fresh signature of the channel; both live secrets verify', async () => {
    const target = await park(open)
    const payload = pressed('approve', target)
    const unsigned = { method: 'POST', body: slackRequest(payload, { secret: SIGNING }).body }
    const changed = slackRequest(payload, { secret: SIGNING })
    const answers = [
      await post(open, payload, 'another secret'),
      await post(open, payload, SIGNING, Date.now() - 301_000),
      await post(open, payload, SIGNING, Date.now() + 301_000),
      await open.app.request('/triggers/slack/chat', { ...changed, body: `${changed.body}&x=1` }),
      await open.app.request('/triggers/slack/chat', {
        ...unsigned,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
    const unknown = slackRequest(payload, { secret: SIGNING })
    expect((await open.app.request('/triggers/slack/nowhere', unknown)).status).toBe(404)
    expect(decided).toEqual([])
    expect((await post(open, payload, OLD_SIGNING)).status).toBe(200)
    await vi.waitFor(() => expect(decided).toHaveLength(1), PATIENCE)
  })

  it('counts once, however often the very request comes again, and at whichever process', async () => {
    const other = await apiWith({ secret: SECRET })
    try {
      const target = await park(guarded, { approvals: 2 })
      const request = slackRequest(pressed('approve', target), { secret: SIGNING })
      const apis = [guarded, other, guarded, other, guarded]
      const answers = await Promise.all(apis.map((api) => api.app.request('/triggers/slack/chat', request)))
      expect(answers.map(({ status }) => status)).toEqual(apis.map(() => 200))
      await Promise.all([guarded.settled(), other.settled()])
      await vi.waitFor(() => expect(slack.whispers).toHaveLength(apis.length), PATIENCE)
      const votes = () => database.db`select decided_by from gate_decisions where gate_id = ${target.gate_id}`
      expect(await votes()).toHaveLength(1)
      // the gate is decided, and the run asks again: what was pressed then answers nothing now
      await database.db`
        update gates set status = 'approved', resolved_at = now(), resolution = '{"by": "usr_first"}' where id = ${target.gate_id}`
      const next = await parkTestRun(guarded, target.run_id, { step_id: 'evidence' })
      expect((await guarded.app.request('/triggers/slack/chat', request)).status).toBe(200)
      await vi.waitFor(() => expect(slack.whispers.at(-1)?.text).toContain('decided already'), PATIENCE)
      expect([await votes(), await database.db`select from gate_decisions where gate_id = ${next}`]).toMatchObject([
        { length: 1 },
        { length: 0 },
      ])
    } finally {
      await other.close()
    }
  })

  it('is understood and ignored when it is about something else', async () => {
    const opened = { ...pressed('approve', await park(open)), actions: [{ action_id: 'gate.open' }] }
    for (const payload of [opened, { type: 'shortcut' }, { type: 'block_actions' }, {}]) {
      expect((await post(open, payload)).status).toBe(200)
    }
    expect(decided).toEqual([])
    expect(open.failures).toEqual([])
  })
})
