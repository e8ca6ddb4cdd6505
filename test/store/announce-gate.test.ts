import { ApplicationFailure } from '@temporalio/common'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { NoticeDeps } from '#activities/notify/deps.ts'
import { createActionActivities } from '#activities/notify/index.ts'
import type { AnnounceInput, NoticeKind } from '#core/action-contract.ts'
import type { JsonObject } from '#core/json.ts'
import type { ChannelConfig, Delivery, GateNotice } from '#core/notify/types.ts'
import { createIds } from '#platform/ids.ts'
import { createLinkIssuer } from '#services/approvals/links/issue-link.ts'
import { createMagicLinks } from '#store/magic-links.ts'
import { createNoticeDeliveries } from '#store/notice-deliveries.ts'
import { createNoticeViews } from '#store/notice-views.ts'
import { createTestApi, type TestApi } from '../support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { TEST_SIGNER } from '../support/magic-link.ts'
import { admitTestRun, parkTestRun } from '../support/test-runs.ts'

const MAIL: ChannelConfig = {
  name: 'mail',
  kind: 'email',
  smtp: 'smtp://mail.example.test',
  from: 'svc@example.test',
  to: ['a@example.test', 'b@example.test'],
}
const BOSS: ChannelConfig = { ...MAIL, name: 'boss', to: ['boss@example.test'] }
const SLA = { remind_at: '2098-01-01T00:00:00.000Z', escalate_at: '2098-01-02T00:00:00.000Z', escalate_to: ['boss'] }

let database: TestDatabase
let api: TestApi
let answers: Delivery[] = []
let sent: { notice: GateNotice; previous: JsonObject | undefined; to: string }[] = []

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database)
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})
beforeEach(() => {
  answers = []
  sent = []
})

function activities(changes: Partial<NoticeDeps> = {}) {
  const channels = new Map([MAIL, BOSS].map((channel) => [channel.name, channel]))
  return createActionActivities({
    gates: createNoticeViews(database.db),
    deliveries: createNoticeDeliveries(database.db),
    channels: { get: (name) => channels.get(name) },
    send: async (_channel, recipient, notice, previous) => {
      sent.push({ notice, previous, to: recipient.address })
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
  })
}

async function park(view: object = { channels: ['mail', 'gone'], sla: SLA }) {
  const run_id = await admitTestRun(api)
  const gate_id = await parkTestRun(api, run_id, { view: { ...view } })
  const input = { gate_id, run_id, workspace_id: 'ws_00000000000000000000000000' }
  const about = (kind: NoticeKind, channel = 'mail', recipient = 'a@example.test'): AnnounceInput => ({
    ...input,
    kind,
    channel,
    recipient,
  })
  return { ...input, about }
}

const resolve = (gateId: string) => database.db`
  update gates set status = 'rejected', resolved_at = now(), resolution = ${database.db.json({ by: 'usr_first', note: 'no' })}
  where id = ${gateId}`

describe('planning a notice', () => {
  it('goes to every recipient of every channel that there is, and says when the next ones are due', async () => {
    const gate = await park()
    expect(await activities().planNotice({ ...gate, kind: 'opened' })).toEqual({
      due: true,
      addressees: [
        { channel: 'mail', recipient: 'a@example.test' },
        { channel: 'mail', recipient: 'b@example.test' },
      ],
      remind_at: SLA.remind_at,
      escalate_at: SLA.escalate_at,
      expires_at: '2099-01-01T00:00:00.000Z',
      ends_at: '2099-01-01T00:10:00.000Z',
    })
  })

  it('escalates to others, or to the same where nobody else is named', async () => {
    const named = await activities().planNotice({ ...(await park()), kind: 'escalated' })
    expect(named.addressees).toEqual([{ channel: 'boss', recipient: 'boss@example.test' }])
    const { escalate_to: _, ...sla } = SLA
    const same = await activities().planNotice({ ...(await park({ channels: ['mail'], sla })), kind: 'escalated' })
    expect(same.addressees).toHaveLength(2)
  })

  it('asks nobody about a gate that is over, and tells those who were asked', async () => {
    const gate = await park()
    await activities().announceGate(gate.about('opened'))
    await resolve(gate.gate_id)
    expect((await activities().planNotice({ ...gate, kind: 'reminder' })).due).toBe(false)
    expect((await activities().planNotice({ ...gate, kind: 'resolved' })).addressees).toEqual([
      { channel: 'mail', recipient: 'a@example.test' },
    ])
  })

  it('fails for good about a gate that never was', async () => {
    const gate = { ...(await park()), gate_id: `gate_${'0'.repeat(26)}` }
    await expect(activities().planNotice({ ...gate, kind: 'opened' })).rejects.toMatchObject({ nonRetryable: true })
  })
})

describe('telling one recipient', () => {
  it('sends a link and a code of their own, the same in every message', async () => {
    const gate = await park()
    await activities().announceGate(gate.about('opened'))
    await activities().announceGate(gate.about('opened', 'mail', 'b@example.test'))
    await activities().announceGate(gate.about('reminder'))
    const [a, b, again] = sent.map(({ notice }) => notice)
    expect(a?.links.approve).toContain(`http://svc.test/triggers/approve/action-${gate.gate_id}?token=`)
    expect(a?.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{6}$/)
    expect(a?.links.approve).not.toBe(b?.links.approve)
    expect(a?.code).not.toBe(b?.code)
    expect([again?.links.approve, again?.code]).toEqual([a?.links.approve, a?.code])
    expect(sent.map(({ previous }) => previous)).toEqual([undefined, undefined, { message_id: a?.id }])
  })

  it('sends no link where there may be none, and none about what is over', async () => {
    const gate = await park()
    await activities({ linksAllowed: () => false }).announceGate(gate.about('opened'))
    await activities({ issueLink: undefined }).announceGate(gate.about('reminder'))
    await resolve(gate.gate_id)
    await activities().announceGate(gate.about('resolved'))
    for (const { notice } of sent) expect([notice.links.approve, notice.code]).toEqual([undefined, undefined])
    expect(sent.at(-1)?.notice.resolution).toMatchObject({ status: 'rejected', by: 'usr_first', note: 'no' })
  })

  it('sends once: a repeat of what arrived is skipped, and so is what is settled meanwhile', async () => {
    const gate = await park()
    expect(await activities().announceGate(gate.about('opened'))).toEqual({ status: 'delivered' })
    expect(await activities().announceGate(gate.about('opened'))).toEqual({ status: 'skipped' })
    await resolve(gate.gate_id)
    expect(await activities().announceGate(gate.about('reminder'))).toEqual({ status: 'skipped' })
    expect(sent).toHaveLength(1)
  })

  it('asks the engine to try again where that can help, when the channel says', async () => {
    const gate = await park()
    answers = [{ ok: false, retryable: true, detail: 'slow down', retry_after_ms: 30_000 }]
    const failure = await activities()
      .announceGate(gate.about('opened'))
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApplicationFailure)
    expect(failure).toMatchObject({ message: 'slow down', nonRetryable: false, nextRetryDelay: 30_000 })
    expect(await activities().announceGate(gate.about('opened'))).toEqual({ status: 'delivered' })
    const [row] = await database.db`
      select status, attempts, detail from notice_deliveries where gate_id = ${gate.gate_id}`
    expect(row).toEqual({ status: 'delivered', attempts: 2, detail: null })
  })

  it('gives up where it cannot, with the reason on record', async () => {
    const gate = await park()
    answers = [{ ok: false, retryable: false, detail: 'no such mailbox' }]
    expect(await activities().announceGate(gate.about('opened'))).toEqual({ status: 'failed' })
    expect(await activities().announceGate(gate.about('opened', 'gone'))).toEqual({ status: 'failed' })
    const rows = await database.db`
      select channel, detail from notice_deliveries where gate_id = ${gate.gate_id} order by channel`
    expect(rows).toEqual([
      { channel: 'gone', detail: 'there is no such channel' },
      { channel: 'mail', detail: 'no such mailbox' },
    ])
  })
})
