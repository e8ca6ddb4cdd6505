import { beforeEach, describe, expect, it } from 'vitest'
import { createAnnounceDigest, createPlanDigest } from '#activities/notify/announce-digest.ts'
import { createAnnounceGate } from '#activities/notify/announce-gate.ts'
import type { NoticeDeps } from '#activities/notify/deps.ts'
import { createPlanEnd } from '#activities/notify/plan-end.ts'
import { createPlanNotices } from '#activities/notify/plan-notices.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { DigestNotice, Notice } from '#core/notify/types.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import { createIds } from '#platform/ids.ts'
import { email } from '#platform/notify/kinds/email.ts'
import { slack } from '#platform/notify/kinds/slack.ts'
import { createLinkIssuer } from '#services/approvals/links/issue-link.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { createEndViews } from '#store/notices/end-views.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { createNoticeDigests } from '#store/notices/notice-digests.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { haltNoticeDeps } from '#test/support/halt-notice-deps.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { TEST_SIGNER } from '../support/magic-link.ts'
import { createRecordDeps } from '../support/record-engine.ts'
import { admitTestRun, finishTestRun, parkTestRun } from '../support/test-runs.ts'

const STORM = 184
const CHANNELS = new Map(
  [
    email.open({
      ...{ name: 'mail', kind: 'email', smtp: 'smtp://mail.example.test', from: 'svc@example.test' },
      ...{ to: ['a@example.test', 'b@example.test'], max_per_minute: 10 },
    }),
    slack.open({
      ...{ name: 'chat', kind: 'slack', channel: '#ops', token: 'env:BOT', signing_secret: 'env:SIGNING' },
      max_per_minute: 10,
    }),
    email.open({
      ...{ name: 'all', kind: 'email', smtp: 'smtp://mail.example.test', from: 'svc@example.test' },
      to: ['all@example.test'],
    }),
  ].map((channel) => [channel.name, channel]),
)

const database = testDatabase()
const api = testApi(database)
let sent: { to: string; notice: Notice; previous: JsonObject | undefined }[] = []
beforeEach(async () => {
  // what an earlier test did is long ago
  await database.db`update notice_deliveries set planned_at = planned_at - interval '1 day'`
  await database.db`
    update notice_digests set created_at = created_at - interval '1 day', folded_at = folded_at - interval '1 day', notice_due_at = null`
  await database.db`
    update gates set status = 'cancelled', resolved_at = now(), resolution = '{"by": "usr_x"}' where status = 'open'`
  sent = []
  ;[one, two] = [worker(), worker()]
})

function worker() {
  const { db } = database
  const deps: NoticeDeps = {
    claims: createRecordDeps(db),
    gates: createNoticeGates(createNoticeViews(db), createRecordDeps(db)),
    ends: createEndViews(db),
    settings: () => undefined,
    open: false,
    deliveries: createNoticeDeliveries(db),
    ...haltNoticeDeps(db),
    channels: { get: (name) => CHANNELS.get(name) },
    send: async (_channel, { address: to, notice, previous }) => {
      sent.push({ to, notice, previous })
      return { ok: true, reference: { message_id: notice.id } }
    },
    issueLink: createLinkIssuer({
      ...{ links: createMagicLinks(db), signer: TEST_SIGNER, ids: createIds() },
      public_url: 'http://svc.test',
    }),
    linksAllowed: () => true,
    public_url: 'http://svc.test',
    clock: Date.now,
    log: { warn: () => undefined },
  }
  return {
    planNotices: createPlanNotices(deps),
    announceGate: createAnnounceGate(deps),
    planEnd: createPlanEnd(deps),
    planDigest: createPlanDigest(deps),
    announceDigest: createAnnounceDigest(deps),
  }
}
type Worker = ReturnType<typeof worker>
/** Two processes that plan and tell the same. */
let one: Worker
let two: Worker
const digests = () => createNoticeDigests(database.db)

async function park(channels: string[], alert?: Partial<AlertRecord>, risk = 'medium') {
  const run_id = await admitTestRun(api)
  if (alert !== undefined)
    await database.db`insert into run_trigger_alerts (run_id, alert) values (${run_id}, ${database.db.json({
      ...{ title: 'queue is full', severity: 'warning', service: 'looms', source: 'alertmanager', links: [] },
      ...alert,
    })})`
  const gate_id = await parkTestRun(api, run_id, { view: { channels, operation: { risk }, sla: {} } })
  return { gate_id, run_id, workspace_id: DEFAULT_WORKSPACE_ID }
}
type Gate = Awaited<ReturnType<typeof park>>

async function storm(count: number, channels = ['mail']): Promise<Gate[]> {
  const gates: Gate[] = []
  for (let at = 0; at < count; at += 1) gates.push(await park(channels))
  return gates
}

/** Plans and tells what is due about these gates, by two workers at once. */
async function tell(gates: Gate[]): Promise<void> {
  const plans = await Promise.all(
    gates.map(async (gate) => {
      const [{ notices }] = await Promise.all([one.planNotices(gate), two.planNotices(gate)])
      return notices.map(({ notice_id }) => ({ ...gate, notice_id }))
    }),
  )
  for (const claim of plans.flat()) await one.announceGate(claim)
}

/** As the loops of two workers and the workflow do: sends the messages of digests that are due. */
async function tellDigests(): Promise<void> {
  for (const due of await digests().takeDue(100)) {
    const { due_at: _, ...input } = due
    const planned = (await Promise.all([one.planDigest(input), two.planDigest(input)]))[0]
    await Promise.all([digests().markHanded(due), digests().markHanded(due)])
    for (const { notice_id } of planned) await one.announceDigest({ ...input, notice_id })
  }
}

/** Lets this much time pass for every digest. */
const pass = (minutes: number) => database.db`
  update notice_digests set notice_due_at = notice_due_at - ${minutes} * interval '1 minute',
    noticed_at = noticed_at - ${minutes} * interval '1 minute', announced_at = announced_at - ${minutes} * interval '1 minute',
    changed_at = changed_at - ${minutes} * interval '1 minute', folded_at = folded_at - ${minutes} * interval '1 minute'`
/** Half an hour in steps. */
async function halfAnHour(): Promise<void> {
  for (let minute = 0; minute < 30; minute += 1) {
    await pass(1)
    await tellDigests()
  }
}
const to = (recipient: string) => sent.filter((each) => each.to === recipient)
const digestsTo = (recipient: string) =>
  to(recipient).flatMap(({ notice }) => ('digest' in notice ? [notice as DigestNotice] : []))
const dueFor = (gates: Gate[], kind: 'remind_at' | 'escalate_at') =>
  database.db`
    update gates set view = jsonb_set(view, '{sla}', view -> 'sla' || ${database.db.json({ [kind]: new Date(Date.now() - 1_000).toISOString() })})
    where id in ${database.db(gates.map(({ gate_id }) => gate_id))}`
const resolve = (gates: Gate[], status = 'approved') => database.db`
  update gates set status = ${status}, resolved_at = now(), resolution = '{"by": "usr_x"}'
  where id in ${database.db(gates.map(({ gate_id }) => gate_id))}`
const onRecord = (where: { gate_id: string }) => database.db<
  { kind: string; status: string; digest_id: string | null }[]
>`
  select kind, status, digest_id from notice_deliveries where gate_id = ${where.gate_id} order by id`

describe('a storm', () => {
  it('of 184 gates, with their reminders, escalations and ends, is some fifteen messages for each recipient', async () => {
    const gates = await storm(STORM)
    await tell(gates)
    expect(to('a@example.test')).toHaveLength(10)
    await halfAnHour()
    await database.db`update notice_deliveries set planned_at = planned_at - interval '30 minutes'`
    await dueFor(gates, 'remind_at')
    await tell(gates)
    await halfAnHour()
    await dueFor(gates, 'escalate_at')
    await tell(gates)
    await halfAnHour()
    for (const recipient of ['a@example.test', 'b@example.test']) {
      expect(to(recipient).length).toBeLessThanOrEqual(15)
      expect(digestsTo(recipient)[0]?.digest.waiting).toMatchObject({ gates: STORM - 10, risk: 'medium' })
      expect(digestsTo(recipient).at(-1)?.digest.waiting).toMatchObject({ gates: STORM, escalated: STORM })
    }
    await resolve(gates)
    await tell(gates)
    await halfAnHour()
    expect(digestsTo('a@example.test').at(-1)?.digest).toMatchObject({
      ...{ waiting: { gates: 0, risk: null }, answered: { approved: STORM } },
    })
    // the ten that had a message of their own are answered by one
    expect(to('a@example.test').length).toBeLessThanOrEqual(26)
    expect(to('a@example.test').filter(({ notice }) => notice.kind === 'svc.gate.resolved')).toHaveLength(10)
  })

  it('folds at a channel that says so, and elsewhere sends one by one', async () => {
    await tell(await storm(12, ['mail', 'all']))
    expect(to('a@example.test')).toHaveLength(10)
    expect(to('all@example.test')).toHaveLength(12)
    expect(await digests().takeDue(10)).toEqual([])
    await tellDigests()
    await pass(1)
    await tellDigests()
    expect(digestsTo('a@example.test')).toHaveLength(1)
    expect(digestsTo('all@example.test')).toEqual([])
  })

  it('is over when fewer come in a minute: the next gate has a message of its own', async () => {
    await tell(await storm(12))
    await database.db`update notice_deliveries set planned_at = planned_at - interval '61 seconds'`
    const later = await park(['mail'])
    await tell([later])
    expect(to('a@example.test').at(-1)?.notice).toMatchObject({ kind: 'svc.gate.opened', gate_id: later.gate_id })
  })

  it('of one workspace folds nothing of another', async () => {
    const elsewhere = `ws_${'7'.repeat(26)}`
    await addWorkspace(database, elsewhere, 'elsewhere')
    await tell(await storm(12))
    await database.db`update notice_deliveries set workspace_id = ${elsewhere} where status <> 'folded'`
    const here = await park(['mail'])
    await tell([here])
    expect(to('a@example.test').at(-1)?.notice).toMatchObject({ kind: 'svc.gate.opened', gate_id: here.gate_id })
  })

  it('names the most urgent first, and leads to them in the queue, with no link that decides', async () => {
    await tell(await storm(10))
    const waiting = [
      await park(['mail'], { title: 'disk slow' }),
      await park(['mail'], { title: 'risky' }, 'high'),
      await park(['mail'], { title: 'checkout down', severity: 'critical', service: 'shop' }),
    ]
    await tell(waiting)
    await pass(1)
    await tellDigests()
    const [notice] = digestsTo('a@example.test')
    expect(notice).toMatchObject({
      kind: 'svc.digest.sent',
      digest: { waiting: { gates: 3, risk: 'high', expires_at: '2099-01-01T00:00:00.000Z' } },
      links: {
        console: `http://svc.test/console/gates?workspace=${DEFAULT_WORKSPACE_ID}&template=incident%2Fservice-recovery&environment=development`,
      },
    })
    expect(notice?.digest.first.map(({ alert }) => alert?.title)).toEqual(['checkout down', 'risky', 'disk slow'])
    const ids = waiting.map(({ gate_id }) => gate_id)
    expect(await database.db`select from magic_links where gate_id in ${database.db(ids)}`).toHaveLength(0)
    expect(JSON.stringify(notice)).not.toContain('token=')
  })

  it('says on record into which digest each notice was folded, and what became of its messages', async () => {
    const gates = await storm(11)
    await tell(gates)
    const folded = gates.flatMap(({ gate_id }) => gate_id)
    const rows = (await Promise.all(folded.map((gate_id) => onRecord({ gate_id })))).flat()
    const [digest_id] = rows.flatMap((each) => each.digest_id ?? [])
    expect(rows.filter(({ status }) => status === 'folded')).toHaveLength(2)
    await pass(1)
    await tellDigests()
    const answer = (await (await api.get('/deliveries?state=folded&limit=1')).json()) as object[]
    expect(answer).toMatchObject([{ state: 'folded', kind: 'opened', digest_id: expect.stringMatching(/^dgs_/) }])
    const messages = (await (await api.get('/deliveries?state=delivered&limit=200')).json()) as JsonObject[]
    expect(messages.filter((each) => each['digest_id'] === digest_id)).toMatchObject([{ kind: 'digest', attempts: 1 }])
  })

  it('is one message that is changed where the channel can, and draws attention again at most every ten minutes', async () => {
    const chat = () => digestsTo(CHANNELS.get('chat')?.addresses[0] ?? '')
    await tell(await storm(12, ['chat']))
    await pass(1)
    await tellDigests()
    expect(chat().map(({ kind }) => kind)).toEqual(['svc.digest.sent'])
    const more = await storm(2, ['chat'])
    await tell(more)
    await pass(1)
    await tellDigests()
    expect(chat().map(({ kind }) => kind)).toEqual(['svc.digest.sent', 'svc.digest.changed'])
    expect(chat().at(-1)?.digest.waiting.gates).toBe(4)
    expect(sent.at(-1)?.previous).toEqual({ message_id: chat()[0]?.id })
    await resolve(more)
    await tell(more)
    await pass(1)
    await tellDigests()
    expect(chat().at(-1)).toMatchObject({
      kind: 'svc.digest.changed',
      digest: { waiting: { gates: 2 }, answered: { approved: 2 } },
    })
    await pass(10)
    await tellDigests()
    expect(chat().at(-1)?.kind).toBe('svc.digest.sent')
    await halfAnHour()
    expect(chat()).toHaveLength(4)
  })

  it('folds the ends of runs as well, and names what failed', async () => {
    const gates = await storm(12)
    await resolve(gates)
    for (const { run_id, gate_id } of gates) {
      await database.db`update gates set view = jsonb_set(view, '{channels}', '["mail"]') where id = ${gate_id}`
      await finishTestRun(api, run_id, undefined, 'failed')
    }
    const planned = await Promise.all(gates.map(({ run_id, workspace_id }) => one.planEnd({ run_id, workspace_id })))
    expect(planned.flat()).toHaveLength(20)
    await pass(1)
    await tellDigests()
    expect(digestsTo('a@example.test').at(-1)?.digest).toMatchObject({ ended: { failed: 2 } })
    expect(digestsTo('a@example.test').at(-1)?.digest.failed).toHaveLength(2)
  })
})

describe('a message of a digest', () => {
  it('is refused where one is not due, or for a notice of another', async () => {
    const gates = await storm(11)
    await tell(gates)
    const [row] = await database.db<{ id: string }[]>`select id from notice_digests order by created_at desc limit 1`
    const digest_id = row?.id ?? ''
    const refused = { kind: 'unknown_notice' }
    for (const notice of [0, 1, 7]) await expect(one.planDigest({ digest_id, notice })).rejects.toMatchObject(refused)
    await expect(one.planDigest({ digest_id: 'dgs_none', notice: 0 })).rejects.toMatchObject(refused)
    const [folded] = await database.db<{ id: number }[]>`
      select id from notice_deliveries where digest_id = ${digest_id} and status = 'folded'`
    const claim = { digest_id, notice: 0, notice_id: folded?.id ?? 0 }
    await expect(one.announceDigest(claim)).rejects.toMatchObject(refused)
    const [gate] = await database.db<{ gate_id: string; run_id: string }[]>`
      select g.id as gate_id, g.run_id from notice_deliveries n join gates g on g.id = n.gate_id where n.id = ${claim.notice_id}`
    const asked = { gate_id: gate?.gate_id ?? '', run_id: gate?.run_id ?? '', workspace_id: DEFAULT_WORKSPACE_ID }
    const before = sent.length
    expect(await one.announceGate({ ...asked, notice_id: claim.notice_id })).toEqual({ status: 'skipped' })
    expect(sent).toHaveLength(before)
  })

  it('that could not be sent until the next one was due is not sent behind it', async () => {
    await tell(await storm(11))
    await pass(1)
    const [due] = await digests().takeDue(1)
    if (due === undefined) throw new Error('no message is due')
    const [late] = await one.planDigest(due)
    await digests().markHanded(due)
    await database.db`update notice_digests set notices = notices + 1 where id = ${due.digest_id}`
    const claim = { digest_id: due.digest_id, notice: due.notice, notice_id: late?.notice_id ?? 0 }
    expect(await one.announceDigest(claim)).toEqual({ status: 'skipped' })
    expect(digestsTo('a@example.test')).toEqual([])
  })

  it('is deleted with the last run whose notice was folded into it', async () => {
    const gates = await storm(11)
    await tell(gates)
    await resolve(gates, 'cancelled')
    await pass(1)
    await tellDigests()
    for (const { run_id } of gates) await finishTestRun(api, run_id)
    const [before] = await database.db<{ count: string }[]>`select count(*) from notice_digests`
    await database.db`update runs set ended_at = now() - interval '40 days' where id in ${database.db(gates.map(({ run_id }) => run_id))}`
    const runs = gates.map(({ run_id }) => ({ run_id, audit_id: createIds().next('audit') }))
    await database.db`select forget_runs(${database.db.json(runs)}, 30)`
    const [after] = await database.db<{ count: string }[]>`select count(*) from notice_digests`
    expect(Number(before?.count) - Number(after?.count)).toBe(2)
  })
})
