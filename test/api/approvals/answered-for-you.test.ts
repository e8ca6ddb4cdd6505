import { beforeAll, beforeEach, expect, it } from 'vitest'
import { createAnnounceGate } from '#activities/notify/announce-gate.ts'
import type { NoticeDeps } from '#activities/notify/deps.ts'
import { createPlanNotices } from '#activities/notify/plan-notices.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { noticeMessage } from '#core/notify/message.ts'
import type { GateNotice, SendResult } from '#core/notify/types.ts'
import { createIds } from '#platform/ids.ts'
import { type EmailSettings, email } from '#platform/notify/kinds/email.ts'
import { slack } from '#platform/notify/kinds/slack.ts'
import { createLinkIssuer } from '#services/approvals/links/issue-link.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { createEndViews } from '#store/notices/end-views.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import type { UserRow } from '#store/users.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { haltNoticeDeps } from '#test/support/halt-notice-deps.ts'
import { TEST_SIGNER } from '#test/support/magic-link.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { testSealedApi } from '#test/support/sealed-api.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addUser, bearer } from '#test/support/users.ts'

/** Votes go through the API and their one writer; only the workflow that asks for the notices, and the mail server, are left out. */
let account: { id: string; headers: Record<string, string> }
let sent: { to: string; channel: string; notice: GateNotice }[] = []
let answers: SendResult[] = []

const MAIL: EmailSettings = {
  name: 'mail',
  kind: 'email',
  smtp: 'smtp://mail.example.test',
  from: 'svc@example.test',
  to: ['oncall@example.test'],
}
const CHANNELS = new Map(
  [
    email.open(MAIL),
    email.open({ ...MAIL, name: 'boss', to: ['boss@example.test'] }),
    slack.open({ name: 'chat', kind: 'slack', channel: '#ops', token: 'env:BOT', signing_secret: 'env:SIGNING' }),
  ].map((channel) => [channel.name, channel]),
)
const TO_MAIL = { channels: ['chat', 'mail'] }

const database = testDatabase()
const api = testSealedApi(database)
beforeAll(async () => {
  const admin = await bearer(api.deps, await addUser(api.deps, { roles: ['admin'], workspaces: ['*'] }))
  const invited = await api.post(
    '/admin/users',
    {
      email: 'bot@example.test',
      display_name: 'Answer bot',
      roles: ['service'],
      scopes: ['approvals:on_behalf'],
      workspaces: [DEFAULT_WORKSPACE_ID],
    },
    admin,
  )
  const { id } = (await invited.json()) as { id: string }
  const active = await api.app.request(`/admin/users/${id}`, {
    method: 'PATCH',
    body: '{"status":"active"}',
    headers: { 'content-type': 'application/json', ...admin },
  })
  expect(active.status).toBe(200)
  const key = { account: id, name: 'a key', scopes: ['approvals:on_behalf'] }
  const { token } = (await (await api.post('/admin/api-keys', key, admin)).json()) as { token: string }
  account = { id, headers: { authorization: `Bearer ${token}` } }
})
beforeEach(() => {
  sent = []
  answers = []
})

function activities() {
  const deps: NoticeDeps = {
    claims: createRecordDeps(database.db),
    gates: createNoticeGates(createNoticeViews(database.db), createRecordDeps(database.db, { open: false })),
    ends: createEndViews(database.db),
    settings: () => undefined,
    deliveries: createNoticeDeliveries(database.db),
    ...haltNoticeDeps(database.db),
    channels: { get: (name) => CHANNELS.get(name) },
    send: async ({ name: channel }, { address: to, notice }) => {
      sent.push({ to, channel, notice: notice as GateNotice })
      return answers.shift() ?? { ok: true, reference: { message_id: notice.id } }
    },
    issueLink: createLinkIssuer({
      links: createMagicLinks(database.db),
      signer: TEST_SIGNER,
      ids: createIds(),
      public_url: 'http://svc.test',
    }),
    linksAllowed: () => true,
    open: false,
    public_url: 'http://svc.test',
    clock: Date.now,
    log: { warn: () => undefined },
  }
  return { planNotices: createPlanNotices(deps), announceGate: createAnnounceGate(deps) }
}

/** An approver who lets the account answer for them. */
async function person(): Promise<UserRow> {
  const user = await addUser(api.deps, { roles: ['approver'] })
  const path = `/auth/me/answering-accounts/${account.id}`
  const named = await api.app.request(path, { method: 'PUT', headers: await bearer(api.deps, user) })
  expect(named.status).toBe(200)
  return user
}

async function gate(view: object, approvals = 2) {
  const run_id = await admitTestRun(api)
  const required = { approvals, approval_roles: [], prevent_self: false }
  const gate_id = await parkTestRun(api, run_id, { view: { ...view }, required })
  return { gate_id, run_id, workspace_id: DEFAULT_WORKSPACE_ID }
}
type Gate = Awaited<ReturnType<typeof gate>>

async function answer({ run_id }: Gate, approver: UserRow, decision = 'approve', note?: string): Promise<void> {
  const body = { decision, approver: approver.id, ...(note && { note }) }
  const { status } = await api.post(`/runs/${run_id}/resume`, body, account.headers)
  expect(status).toBe(200)
}

/** Plans and sends all that is due, as the workflow of the gate does. */
async function tellAll(about: Gate) {
  const { notices } = await activities().planNotices(about)
  return await Promise.all(notices.map(({ notice_id }) => activities().announceGate({ ...about, notice_id })))
}
const answersSent = () => sent.filter(({ notice }) => notice.kind === 'svc.gate.answered_for_you')
const noted = async ({ gate_id }: Gate) =>
  (await database.db<{ kind: string }[]>`select kind from gate_notices where gate_id = ${gate_id} order by id`).map(
    ({ kind }) => kind,
  )

it('tells a person at once, by their own mail, who answered what for them, and nothing to answer with', async () => {
  const [bob, about] = [await person(), await gate(TO_MAIL)]
  await answer(about, bob)
  expect(await noted(about)).toEqual(['opened', 'answered'])
  await tellAll(about)
  expect(answersSent()).toMatchObject([
    {
      to: bob.email,
      channel: 'mail',
      notice: {
        id: `${about.gate_id.replace('gate_', 'ntf_')}.answered_for_you`,
        answered: { account: 'Answer bot', decision: 'approve' },
        links: { run: `http://svc.test/workspaces/${about.workspace_id}/runs/${about.run_id}` },
      },
    },
  ])
  const notice = answersSent()[0]?.notice
  expect([notice?.links.approve, notice?.code]).toEqual([undefined, undefined])
  expect(notice && noticeMessage(notice).outcome).toMatch(
    /^Answer bot has answered this gate in your name \(approve\) at \d\d:\d\d UTC\. The gate is open still\. .*, and the answer counts no longer; then answer the gate yourself, or tell an approver\.$/,
  )
})

it.each([
  ['approve', 1, 'open', /The gate is open still\. If the answer is wrong: remove the account/],
  [
    'approve',
    0,
    'approved',
    /The gate is approved, .*cancelled before it has ended \(svc cancel run_\w+\), and remove/,
  ],
  ['reject', 1, 'rejected', /The gate is rejected, and the run has ended\..*started again, and remove the account/],
])('says what can be done about an answer (%s, %i missing), with its note', async (decision, missing, status, says) => {
  const [bob, about] = [await person(), await gate(TO_MAIL, 1 + missing)]
  await answer(about, bob, decision, 'as agreed with Carol')
  await tellAll(about)
  const [mine] = answersSent()
  expect(mine?.notice.answered).toMatchObject({ decision, note: 'as agreed with Carol', gate: status })
  const message = mine && noticeMessage(mine.notice)
  expect(message?.note).toBe('as agreed with Carol')
  expect(message?.outcome).toMatch(says)
})

it('tells each of them once, however often it is planned and answered', async () => {
  const [bob, carol, about] = [await person(), await person(), await gate(TO_MAIL, 3)]
  await answer(about, bob)
  await tellAll(about)
  await tellAll(about)
  await answer(about, carol, 'reject')
  await Promise.all(Array.from({ length: 5 }, () => activities().planNotices(about)))
  await tellAll(about)
  await tellAll(about)
  expect(answersSent().map(({ to, notice }) => [to, notice.answered?.decision])).toEqual([
    [bob.email, 'approve'],
    [carol.email, 'reject'],
  ])
  const others = sent.filter(({ notice }) => notice.kind !== 'svc.gate.answered_for_you').map(({ to }) => to)
  expect(others, 'a person who was not asked is told nothing else').not.toContain(bob.email)
})

it('tells them also where the gate was over before anybody was asked, and is on record like every notice', async () => {
  const [bob, about] = [await person(), await gate(TO_MAIL, 1)]
  await answer(about, bob)
  expect(await noted(about)).toEqual(['opened', 'answered', 'resolved'])
  answers = [{ ok: false, retryable: true, detail: 'mail.example.test answered 451' }]
  await expect(tellAll(about)).rejects.toThrow('451')
  const listed = async () => {
    const reader = await bearer(api.deps, await addUser(api.deps))
    return (await (await api.get(`/runs/${about.run_id}/deliveries`, reader)).json()) as unknown[]
  }
  const row = { kind: 'answered_for_you', channel: 'mail', recipient: bob.email, gate_id: about.gate_id }
  expect(await listed()).toMatchObject([{ ...row, state: 'retrying', attempts: 1 }])
  expect(await tellAll(about)).toEqual([{ status: 'delivered' }])
  expect(await listed()).toMatchObject([{ ...row, state: 'delivered', attempts: 2 }])
  expect(await tellAll(about)).toEqual([])
})

it.each([
  ['the channel that it escalates to', { channels: ['chat'], sla: { escalate_to: ['boss'] } }, ['boss']],
  ['no channel that can address a person', { channels: ['chat', 'gone'] }, []],
])('is sent through %s', async (_, view, through) => {
  const [bob, about] = [await person(), await gate(view)]
  await answer(about, bob)
  await tellAll(about)
  expect(answersSent().map(({ channel, to }) => [channel, to])).toEqual(through.map((channel) => [channel, bob.email]))
})

it('is for people who can sign in, and says nothing of votes of their own', async () => {
  const [bob, gone, about] = [await person(), await person(), await gate(TO_MAIL, 4)]
  const own = await api.post(`/runs/${about.run_id}/resume`, { decision: 'approve' }, await bearer(api.deps, bob))
  expect(own.status).toBe(200)
  expect(await noted(about)).toEqual(['opened'])
  await answer(about, gone)
  const { notices } = await activities().planNotices(about)
  await database.db`update users set status = 'disabled' where id = ${gone.id}`
  for (const { notice_id } of notices) await activities().announceGate({ ...about, notice_id })
  expect(answersSent()).toEqual([])
  expect(notices.filter(({ kind }) => kind === 'answered_for_you')).toHaveLength(1)
})

it('is not sent through a channel that has become one of another kind, nor to an address that was not planned', async () => {
  const [bob, about] = [await person(), await gate(TO_MAIL)]
  await answer(about, bob)
  const { notices } = await activities().planNotices(about)
  const id = notices.find(({ kind }) => kind === 'answered_for_you')?.notice_id ?? 0
  await database.db`update notice_deliveries set channel = 'chat' where id = ${id}`
  expect(await activities().announceGate({ ...about, notice_id: id })).toEqual({ status: 'failed' })
  await database.db`update notice_deliveries set channel = 'mail', recipient = 'mallory@elsewhere.test' where id = ${id}`
  expect(await activities().announceGate({ ...about, notice_id: id })).toEqual({ status: 'failed' })
  expect(sent).toEqual([])
})
