import { ApplicationFailure } from '@temporalio/common'
import { beforeEach, describe, expect, it } from 'vitest'
import { createAnnounceGate } from '#activities/notify/announce-gate.ts'
import type { NoticeDeps } from '#activities/notify/deps.ts'
import { createPlanNotices } from '#activities/notify/plan-notices.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { NoticePlan } from '#core/notify/contract.ts'
import type { GateNotice, SendResult } from '#core/notify/types.ts'
import { createIds } from '#platform/ids.ts'
import { type EmailSettings, email } from '#platform/notify/kinds/email.ts'
import { webhook } from '#platform/notify/kinds/webhook.ts'
import { createLinkIssuer } from '#services/approvals/links/issue-link.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { createEndViews } from '#store/notices/end-views.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { haltNoticeDeps } from '#test/support/halt-notice-deps.ts'
import { TEST_SIGNER } from '../support/magic-link.ts'
import { createRecordDeps } from '../support/record-engine.ts'
import { admitTestRun, parkTestRun } from '../support/test-runs.ts'

const MAIL: EmailSettings = {
  name: 'mail',
  kind: 'email',
  smtp: 'smtp://mail.example.test',
  from: 'svc@example.test',
  to: ['a@example.test', 'b@example.test'],
}
const BOSS: EmailSettings = { ...MAIL, name: 'boss', to: ['boss@example.test'] }
const SLA = { remind_at: '2098-01-01T00:00:00.000Z', escalate_at: '2098-01-02T00:00:00.000Z', escalate_to: ['boss'] }

let answers: SendResult[] = []
let sent: { notice: GateNotice; previous: JsonObject | undefined; to: string }[] = []

const database = testDatabase()
const api = testApi(database)
beforeEach(() => {
  answers = []
  sent = []
})

const BY_ANN = { type: 'user', id: 'usr_ann', display: 'Ann' }

function activities(changes: Partial<NoticeDeps> = {}) {
  const channels = new Map([MAIL, BOSS].map((settings) => [settings.name, email.open(settings)]))
  const deps: NoticeDeps = {
    claims: createRecordDeps(database.db),
    gates: createNoticeGates(createNoticeViews(database.db), createRecordDeps(database.db)),
    ends: createEndViews(database.db),
    settings: () => undefined,
    open: false,
    deliveries: createNoticeDeliveries(database.db),
    ...haltNoticeDeps(database.db),
    channels: { get: (name) => channels.get(name) },
    send: async (_channel, { address, notice, previous }) => {
      sent.push({ notice: notice as GateNotice, previous, to: address })
      return answers.shift() ?? { ok: true, reference: { message_id: notice.id } }
    },
    issueLink: createLinkIssuer({
      links: createMagicLinks(database.db),
      signer: TEST_SIGNER,
      ids: createIds(),
      public_url: 'http://svc.test',
    }),
    linksAllowed: () => true,
    public_url: 'http://svc.test',
    clock: Date.now,
    log: { warn: () => undefined },
    ...changes,
  }
  return { planNotices: createPlanNotices(deps), announceGate: createAnnounceGate(deps) }
}

async function park(view: object = { channels: ['mail', 'gone'], sla: SLA }) {
  const run_id = await admitTestRun(api)
  const gate_id = await parkTestRun(api, run_id, { view: { ...view } })
  return { gate_id, run_id, workspace_id: 'ws_00000000000000000000000000' }
}
type Gate = Awaited<ReturnType<typeof park>>

/** Plans and tells all that is due. */
async function tellAll(gate: Gate, changes: Partial<NoticeDeps> = {}) {
  const { notices } = await activities(changes).planNotices(gate)
  return await Promise.all(notices.map(({ notice_id }) => activities(changes).announceGate({ ...gate, notice_id })))
}

/** The first notice that is due. */
async function firstOf(gate: Gate): Promise<{ notice_id: number } & Gate> {
  const [notice] = (await activities().planNotices(gate)).notices
  return { ...gate, notice_id: notice?.notice_id ?? 0 }
}

const resolve = (gateId: string) => database.db`
  update gates set status = 'rejected', resolved_at = now(), resolution = ${database.db.json({ by: 'usr_first', note: 'no' })}
  where id = ${gateId}`
/** Moves the times of a gate: seconds from now. */
const due = (gateId: string, times: { remind_at?: number; escalate_at?: number }) => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
  const sla = Object.fromEntries(Object.entries(times).map(([name, seconds]) => [name, at(seconds)]))
  return database.db`
    update gates set view = jsonb_set(view, '{sla}', view -> 'sla' || ${database.db.json(sla)}) where id = ${gateId}`
}
const onRecord = (gateId: string) => database.db<{ kind: string; recipient: string; status: string }[]>`
  select kind, recipient, status from notice_deliveries where gate_id = ${gateId} order by id`
const kindsOf = ({ notices }: NoticePlan) => notices.map(({ kind, channel }) => `${kind} ${channel}`)
const claimsOf = async (runId: string) =>
  (await database.db<{ kind: string }[]>`select kind from refusals where subject_id = ${runId} order by kind`).map(
    ({ kind }) => kind,
  )

it('a message names the risk of its gate, also where the template declares another', async () => {
  await tellAll(await park({ channels: ['mail'], sla: SLA, operation: { risk: 'high' } }))
  expect(sent[0]?.notice).toMatchObject({ risk: 'high' })
})

describe('planning notices', () => {
  it('writes down every recipient of every channel that there is, and says when more is due', async () => {
    const gate = await park()
    const plan = await activities().planNotices(gate)
    expect(plan).toEqual({
      open: true,
      notices: [
        { notice_id: expect.any(Number), kind: 'opened', channel: 'mail' },
        { notice_id: expect.any(Number), kind: 'opened', channel: 'mail' },
      ],
      now: expect.stringMatching(/^20\d\d-/),
      next_at: SLA.remind_at,
      expires_at: '2099-01-01T00:00:00.000Z',
      ends_at: '2099-01-01T00:10:00.000Z',
    })
    expect(await onRecord(gate.gate_id)).toEqual([
      { kind: 'opened', recipient: 'a@example.test', status: 'planned' },
      { kind: 'opened', recipient: 'b@example.test', status: 'planned' },
    ])
  })

  it('says why what is approved will wait while a halt is in force', async () => {
    const gate = await park()
    const covering = async () => [
      { id: 'halt_1', scope: {}, reason: 'restore', by: BY_ANN, created_at: '2026-01-01T00:00:00.000Z' },
    ]
    await tellAll(gate, { halts: { covering } })
    expect(sent.at(-1)?.notice.because).toContain(
      'a halt is in force (restore): what is approved goes on when it is lifted',
    )
  })

  it('comes to the same however often and by whomever it is asked', async () => {
    const gate = await park()
    const plans = await Promise.all(Array.from({ length: 10 }, () => activities().planNotices(gate)))
    expect(await onRecord(gate.gate_id)).toHaveLength(2)
    expect(new Set(plans.map((plan) => plan.next_at))).toEqual(new Set([SLA.remind_at]))
    expect({ ...(await activities().planNotices(gate)), now: plans.at(-1)?.now }).toEqual(plans.at(-1))
  })

  it('reminds and escalates when it is time by the record’s clock, and not before', async () => {
    const gate = await park()
    await activities().planNotices(gate)
    await database.db`update notice_deliveries set planned_at = now() - interval '1 hour' where gate_id = ${gate.gate_id}`
    await due(gate.gate_id, { remind_at: 30 })
    expect(kindsOf(await activities().planNotices(gate))).toEqual(['opened mail', 'opened mail'])
    await due(gate.gate_id, { remind_at: -1, escalate_at: 30 })
    const reminded = await activities().planNotices(gate)
    expect(kindsOf(reminded)).toEqual(['opened mail', 'opened mail', 'reminder mail', 'reminder mail'])
    await due(gate.gate_id, { escalate_at: -1 })
    const escalated = await activities().planNotices(gate)
    expect(kindsOf(escalated)).toEqual([...kindsOf(reminded), 'escalated boss'])
    expect(escalated.next_at).toBeNull()
  })

  it('does not remind of what nobody was asked before', async () => {
    const gate = await park()
    await due(gate.gate_id, { remind_at: -1, escalate_at: -1 })
    expect(kindsOf(await activities().planNotices(gate))).toEqual(['opened mail', 'opened mail', 'escalated boss'])
  })

  it('escalates to the same where nobody else is named', async () => {
    const { escalate_to: _, ...sla } = SLA
    const gate = await park({ channels: ['mail'], sla })
    await due(gate.gate_id, { escalate_at: -1 })
    expect(kindsOf(await activities().planNotices(gate)).filter((each) => each === 'escalated mail')).toHaveLength(2)
  })

  it('asks nobody about a gate that is over, and tells those who were asked', async () => {
    const [gate, untold] = [await park(), await park()]
    await activities().announceGate(await firstOf(gate))
    await resolve(gate.gate_id)
    await resolve(untold.gate_id)
    expect(await activities().planNotices(gate)).toMatchObject({ open: false, notices: [{ kind: 'resolved' }] })
    expect((await onRecord(gate.gate_id)).at(-1)).toMatchObject({ kind: 'resolved', recipient: 'a@example.test' })
    expect(await activities().planNotices(untold)).toMatchObject({ open: false, notices: [] })
  })

  it('tells everybody whom nothing reached that its time ran out unseen, and nobody where an alert took it back', async () => {
    const [unseen, withdrawn] = [await park(), await park()]
    for (const [gate, cause] of [
      [unseen, 'ttl'],
      [withdrawn, 'condition_cleared'],
    ] as const) {
      await activities().planNotices(gate)
      await due(gate.gate_id, { escalate_at: -1 })
      await activities().planNotices(gate)
      await database.db`update notice_deliveries set status = 'failed' where gate_id = ${gate.gate_id}`
      await database.db`update gates set status = 'expired', resolved_at = now(),
        resolution = ${database.db.json({ by: 'system', cause })} where id = ${gate.gate_id}`
    }
    const { notices } = await activities().planNotices(unseen)
    expect(notices.map(({ kind, channel }) => `${kind} ${channel}`).toSorted()).toEqual([
      'resolved boss',
      'resolved mail',
      'resolved mail',
    ])
    expect(await activities().planNotices(withdrawn)).toMatchObject({ notices: [] })
  })

  it('refuses a gate that never was, is another run’s or in another workspace, on record', async () => {
    const [gate, other] = [await park(), await park()]
    const { planNotices } = activities()
    const kind = (claim: Gate) => planNotices(claim).catch((error: { kind?: string }) => error.kind)
    expect(await kind({ ...gate, gate_id: `gate_${'0'.repeat(26)}` })).toBe('foreign_gate')
    expect(await kind({ ...gate, gate_id: other.gate_id })).toBe('foreign_gate')
    expect(await kind({ ...gate, workspace_id: 'ws_elsewhere' })).toBe('foreign_workspace')
    expect(await claimsOf(gate.run_id)).toEqual(['foreign_gate', 'foreign_workspace'])
    expect(await onRecord(gate.gate_id)).toEqual([])
  })
})

describe('telling one recipient', () => {
  it('sends a link and a code of their own, the same in every message', async () => {
    const gate = await park()
    await tellAll(gate)
    await due(gate.gate_id, { remind_at: 0 })
    await database.db`update notice_deliveries set planned_at = now() - interval '1 hour' where gate_id = ${gate.gate_id}`
    await activities().announceGate(await firstOf(gate))
    const by = (address: string) => sent.filter(({ to }) => to === address).map(({ notice }) => notice)
    const [a, again] = by('a@example.test')
    const [b] = by('b@example.test')
    expect(a?.links.approve).toContain(`http://svc.test/triggers/approve/action-${gate.gate_id}?token=`)
    expect(a?.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}$/)
    expect(a?.links.approve).not.toBe(b?.links.approve)
    expect(a?.code).not.toBe(b?.code)
    expect(again?.kind).toBe('svc.gate.reminder')
    expect([again?.links.approve, again?.code]).toEqual([a?.links.approve, a?.code])
    expect(sent.map(({ previous }) => previous)).toEqual([undefined, undefined, { message_id: a?.id }])
    const carried = await database.db<{ links: number }[]>`
      select count(*)::int as links from notice_deliveries n join magic_links l on l.jti = n.link and l.recipient = n.recipient
      where n.gate_id = ${gate.gate_id}`
    expect(carried).toEqual([{ links: 3 }])
  })

  it('sends no code where the page of the link asks who decides, and takes none', async () => {
    const gate = await park()
    await database.db`update gates set required = required || '{"prevent_self": true}'::jsonb where id = ${gate.gate_id}`
    await tellAll(gate)
    expect(sent.length).toBeGreaterThan(0)
    for (const { notice } of sent) expect([notice.links.approve, notice.code]).toEqual([expect.any(String), undefined])
  })

  it('sends no link where there may be none, and none about what is over', async () => {
    const gate = await park()
    const [first, second] = (await activities().planNotices(gate)).notices.map(({ notice_id }) => ({
      ...gate,
      notice_id,
    }))
    if (first === undefined || second === undefined) throw new Error('nothing was planned')
    await activities({ linksAllowed: () => false }).announceGate(first)
    await activities({ issueLink: undefined }).announceGate(second)
    await resolve(gate.gate_id)
    await tellAll(gate)
    expect(sent).toHaveLength(4)
    for (const { notice } of sent) expect([notice.links.approve, notice.code]).toEqual([undefined, undefined])
    expect(sent.at(-1)?.notice.resolution).toMatchObject({ status: 'rejected', by: 'usr_first', note: 'no' })
  })

  it('sends once: a repeat of what arrived is skipped, and so is what is settled meanwhile', async () => {
    const gate = await park()
    const first = await firstOf(gate)
    expect(await activities().announceGate(first)).toEqual({ status: 'delivered' })
    expect(await activities().announceGate(first)).toEqual({ status: 'skipped' })
    const second = await firstOf(gate)
    await resolve(gate.gate_id)
    expect(await activities().announceGate(second)).toEqual({ status: 'skipped' })
    expect(sent).toHaveLength(1)
  })

  it('sends nothing that was not planned for this gate: no such notice, another gate’s, another run’s', async () => {
    const [gate, other] = [await park(), await park()]
    const [mine, theirs] = [await firstOf(gate), await firstOf(other)]
    const kind = (claim: typeof mine) =>
      activities()
        .announceGate(claim)
        .catch((error: { kind?: string }) => error.kind)
    expect(await kind({ ...mine, notice_id: 2 ** 40 })).toBe('unknown_notice')
    expect(await kind({ ...mine, notice_id: theirs.notice_id })).toBe('unknown_notice')
    expect(await kind({ ...mine, run_id: other.run_id })).toBe('foreign_gate')
    expect(sent).toEqual([])
    expect(await claimsOf(gate.run_id)).toEqual(['unknown_notice'])
    expect(await claimsOf(other.run_id)).toEqual(['foreign_gate'])
  })

  it('asks nobody whom the channel does not name, no matter what stands on record', async () => {
    const gate = await park()
    await database.db`
      insert into notice_deliveries (gate_id, workspace_id, kind, channel, recipient)
      values (${gate.gate_id}, ${gate.workspace_id}, 'opened', 'mail', 'mallory@elsewhere.test')`
    expect(await tellAll(gate)).toEqual([{ status: 'failed' }])
    expect(sent).toEqual([])
    expect(await database.db`select from magic_links where gate_id = ${gate.gate_id}`).toEqual([])
  })

  it('asks the engine to try again where that can help, when the channel says', async () => {
    const gate = await firstOf(await park())
    answers = [{ ok: false, retryable: true, detail: 'slow down', retry_after_ms: 30_000 }]
    const failure = await activities()
      .announceGate(gate)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApplicationFailure)
    expect(failure).toMatchObject({ message: 'slow down', nonRetryable: false, nextRetryDelay: 30_000 })
    expect(await activities().announceGate(gate)).toEqual({ status: 'delivered' })
    const [row] = await database.db`
      select status, attempts, detail from notice_deliveries where id = ${gate.notice_id}`
    expect(row).toEqual({ status: 'delivered', attempts: 2, detail: null })
  })

  it('gives up where it cannot, with the reason on record', async () => {
    const [gate, other] = [await firstOf(await park()), await firstOf(await park())]
    answers = [{ ok: false, retryable: false, detail: 'no such mailbox' }]
    expect(await activities().announceGate(gate)).toEqual({ status: 'failed' })
    expect(await activities({ channels: { get: () => undefined } }).announceGate(other)).toEqual({ status: 'failed' })
    const rows = await database.db`
      select detail from notice_deliveries where id in (${gate.notice_id}, ${other.notice_id}) order by id`
    expect(rows).toEqual([{ detail: 'no such mailbox' }, { detail: 'there is no such channel' }])
  })
})

describe('two receivers behind one host', () => {
  const hook = (name: string, path: string) =>
    webhook.open({ name, kind: 'webhook', url: `https://hooks.example.test/${path}`, secret: 'env:HOOK' })
  const channels = new Map([hook('one', 'a'), hook('two', 'b')].map((channel) => [channel.name, channel]))
  const reported = { channels: { get: (name: string) => channels.get(name) } }
  const view = { channels: ['one', 'two'], sla: SLA }
  const linksOf = (gateId: string) => database.db<{ recipient: string }[]>`
    select recipient from magic_links where gate_id = ${gateId} order by recipient`

  it('each get a link and a code of their own, also with the reminder', async () => {
    const gate = await park(view)
    expect(await tellAll(gate, reported)).toEqual([{ status: 'delivered' }, { status: 'delivered' }])
    const [first, second] = sent.map(({ notice }) => ({ code: notice.code, link: notice.links.approve }))
    expect(first?.code).not.toBe(second?.code)
    expect(first?.link).not.toBe(second?.link)
    expect((await linksOf(gate.gate_id)).map(({ recipient }) => recipient.replace(/#.*/, ''))).toEqual([
      'hooks.example.test',
      'hooks.example.test',
    ])
    await database.db`update notice_deliveries set planned_at = now() - interval '1 hour' where gate_id = ${gate.gate_id}`
    await due(gate.gate_id, { remind_at: -1 })
    await tellAll(gate, reported)
    const codes = (reported: typeof sent) => reported.map(({ to, notice }) => `${to} ${notice.code}`).sort()
    expect(codes(sent.slice(2))).toEqual(codes(sent.slice(0, 2)))
  })
})

describe('when it is tried again', () => {
  const nextOf = async (id: number) => {
    const [row] = await database.db<{ wait_s: number | null }[]>`
      select round(extract(epoch from next_at - updated_at))::integer as wait_s from notice_deliveries where id = ${id}`
    return row?.wait_s
  }

  it('stands on record after each attempt, as the engine or the channel says, and no more once it arrived', async () => {
    const claim = await firstOf(await park())
    answers = [
      { ok: false, retryable: true, detail: 'mail.example.test answered 451' },
      { ok: false, retryable: true, detail: 'mail.example.test answered 451' },
      { ok: false, retryable: true, detail: 'mail.example.test answered 421', retry_after_ms: 90_000 },
    ]
    for (const wait_s of [1, 2, 90]) {
      await expect(activities().announceGate(claim)).rejects.toThrow('mail.example.test')
      expect(await nextOf(claim.notice_id)).toBe(wait_s)
    }
    await activities().announceGate(claim)
    expect(await nextOf(claim.notice_id)).toBeNull()
  })

  it('is sooner the nearer the end is, so that the last minutes are not lost', async () => {
    const claim = await firstOf(await park())
    await database.db`update gates set expires_at = now() + interval '60 seconds' where id = ${claim.gate_id}`
    answers = [{ ok: false, retryable: true, detail: 'mail.example.test answered 451' }]
    await database.db`update notice_deliveries set attempts = 12 where id = ${claim.notice_id}`
    const { announceGate } = activities({ clock: Date.now })
    const failure: unknown = await announceGate(claim).catch((error: unknown) => error)
    const { nextRetryDelay } = failure as ApplicationFailure
    expect(nextRetryDelay).toBeGreaterThan(15_000)
    expect(nextRetryDelay).toBeLessThanOrEqual(20_000)
  })

  it('is never, where trying again cannot help', async () => {
    const claim = await firstOf(await park())
    answers = [{ ok: false, retryable: false, detail: 'mail.example.test answered 550' }]
    expect(await activities().announceGate(claim)).toEqual({ status: 'failed' })
    expect(await nextOf(claim.notice_id)).toBeNull()
  })
})
