import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { DomainError } from '#core/errors.ts'
import { runIdOfDelivery } from '#core/inbox/item.ts'
import { toInboxDraft } from '#services/inbox/delivery-body.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import {
  alertDelivery,
  type Delivery,
  findInboxRoute,
  type InboxContext,
  type InboxRoute,
} from '#services/inbox/inbox-route.ts'
import { replayInbox } from '#services/inbox/replay-inbox.ts'
import { receiveDelivery } from '#services/inbox/settle-delivery.ts'
import { admitRun } from '#services/runs/admit-run.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { purgeInbox } from '#store/alerts/inbox.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { createAlertService, groupOf } from './alerts-service.ts'

let ctx: InboxContext

const database = testDatabase()
const inbox = fileFixture(() => createTestInbox(database))
beforeAll(async () => {
  ctx = { ...createAlertService(database.db).ctx, inbox }
})
afterEach(async () => {
  await database.db`delete from inbox_items`
})

const at = (claimed_ms: number): InboxContext => ({ ...ctx, inbox: createTestInbox(database, { claimed_ms }) })

function delivery(body: unknown): Delivery {
  return {
    id: ids.next('delivery'),
    route: '/triggers/alert',
    headers: {},
    body,
    text: JSON.stringify(body),
    again: false,
    replay: false,
  }
}

/** The same alerts, with something in their way. */
function alertsWith(before: () => Promise<void>, after: () => Promise<void> = async () => {}): typeof alertDelivery {
  return {
    ...alertDelivery,
    async process(context, given) {
      await before()
      const processed = await alertDelivery.process(context, given)
      await after()
      return processed
    },
  }
}

const away = () => Promise.reject(new DomainError('dependency_unavailable', 'not there'))
const drain = (context = ctx) =>
  drainInbox({
    services: context,
    workspaces: createWorkspaceDirectory(createWorkspaceStore(database.db), Date.now),
    inbox: context.inbox,
    may_go_on: () => true,
  })
const row = async (id: string) =>
  (await inbox.items.select({ workspace_id: ctx.workspace_id, ids: [id] }, 1))[0] ?? expect.fail('no item')
const runsOf = async (service: string) =>
  database.db<{ id: string; attached_count: number }[]>`
    select id, attached_count from runs where fingerprint like ${`%|${service}|%`} order by created_at`

test('a delivery beyond those that are processed at the same time waits in the line, and is processed after them', async () => {
  let goOn: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const busy: typeof alertDelivery = {
    ...alertDelivery,
    process: async (of, given) => {
      await held
      return await alertDelivery.process(of, given)
    },
  }
  const context = at(15_000)
  const many = Array.from({ length: 51 }, (_, place) => delivery(groupOf([{ service: `at-once-${place}` }])))
  const answers = many.map((each) => receiveDelivery(context, busy, each, { defer: false }))
  const first = await Promise.race(answers)
  expect(first).toMatchObject({ outcome: 'received' })
  goOn()
  const waiting = (await Promise.all(answers)).filter((answer) => 'outcome' in answer)
  expect(await drain(context)).toBe(waiting.length)
  expect((await row(first.delivery_id)).status).toBe('started')
})

test('a delivery is refused while as many of its workspace wait as may, with the time to wait', async () => {
  const full = { ...ctx, inbox: createTestInbox(database, { max_waiting: 2 }) }
  const send = () => receiveDelivery(full, alertDelivery, delivery(groupOf([{ service: 'full' }])), { defer: true })
  const again = { ...full, inbox: createTestInbox(database, { max_waiting: 2 }) }
  for (let sent = 0; sent < 2; sent += 1) await send()
  await expect(
    receiveDelivery(again, alertDelivery, delivery(groupOf([{ service: 'full' }])), { defer: true }),
  ).rejects.toMatchObject({ code: 'rate_limited', details: { retry_after_s: 30, limit: 2 } })
  await drain(again)
  const later = { ...full, inbox: createTestInbox(database, { max_waiting: 2 }) }
  expect(
    await receiveDelivery(later, alertDelivery, delivery(groupOf([{ service: 'full' }])), { defer: true }),
  ).toMatchObject({
    outcome: 'received',
  })
})

test('a delivery is committed before it is processed, and then says what it led to', async () => {
  const sent = delivery(groupOf([{ service: 'first' }]))
  const seen: string[] = []
  const answer = await receiveDelivery(
    ctx,
    alertsWith(async () => void seen.push((await row(sent.id)).status)),
    sent,
    { defer: false },
  )
  expect(seen).toEqual(['received'])
  const [run] = await runsOf('first')
  expect(answer).toMatchObject({ delivery_id: sent.id, results: [{ outcome: 'started', run_id: run?.id }] })
  expect(await row(sent.id)).toMatchObject({ status: 'started', attempts: 1, run_id: run?.id, error: null })
})

test('what a dependency keeps from being processed is accepted, waits, and is processed once', async () => {
  const sent = delivery(groupOf([{ service: 'waits' }]))
  expect(await receiveDelivery(ctx, alertsWith(away), sent, { defer: false })).toEqual({
    delivery_id: sent.id,
    outcome: 'received',
    results: [],
  })
  expect(await row(sent.id)).toMatchObject({ status: 'received', error: { code: 'dependency_unavailable' } })
  expect(await drain()).toBe(1)
  expect(await drain()).toBe(0)
  expect(await row(sent.id)).toMatchObject({ status: 'started', attempts: 2, error: null })
  expect(await runsOf('waits')).toMatchObject([{ attached_count: 0 }])
})

test('nobody overtakes: while something waits, what comes later waits behind it', async () => {
  const fires = delivery(groupOf([{ service: 'order', id: 'one' }]))
  const resolves = delivery(groupOf([{ service: 'order', id: 'one', status: 'resolved' }]))
  await receiveDelivery(ctx, alertDelivery, fires, { defer: true })
  expect(await receiveDelivery(ctx, alertDelivery, resolves, { defer: false })).toMatchObject({ outcome: 'received' })
  expect(await drain()).toBe(2)
  const [run] = await runsOf('order')
  expect(await row(fires.id)).toMatchObject({ status: 'started', run_id: run?.id })
  expect(await row(resolves.id)).toMatchObject({ status: 'attached', run_id: run?.id })
})

test('a process that dies after the alerts were folded and before that was noted folds none of them twice', async () => {
  const dying = at(0)
  const twice = { service: 'crash', id: 'same' }
  const sent = delivery(groupOf([twice, { service: 'crash', id: 'other' }, twice, { service: 'crash-2' }]))
  const dies = alertsWith(async () => {}, away)
  await receiveDelivery(dying, dies, sent, { defer: false })
  const before = [await runsOf('crash'), await runsOf('crash-2')]
  expect(before).toMatchObject([[{ attached_count: 2 }], [{ attached_count: 0 }]])
  expect(await drain()).toBe(1)
  expect([await runsOf('crash'), await runsOf('crash-2')]).toEqual(before)
  expect(await row(sent.id)).toMatchObject({ status: 'started', run_id: before[0]?.[0]?.id })
})

test('not even when the run has ended meanwhile', async () => {
  const sent = delivery(groupOf([{ service: 'ended' }]))
  await receiveDelivery(
    ctx,
    alertsWith(async () => {}, away),
    sent,
    { defer: false },
  )
  await database.db`update runs set status = 'failed', error = '{}', ended_at = now() where fingerprint like '%|ended|%'`
  await drain()
  expect(await runsOf('ended')).toHaveLength(1)
})

test('a run without fingerprint gets its id from the delivery, so that a repeat finds it', async () => {
  const { id } = delivery({})
  const admission = {
    pack: 'test',
    template: 'recover',
    inputs: {},
    trigger: { type: 'manual' },
    run_id: runIdOfDelivery(id),
  }
  const first = await admitRun(ctx, admission)
  const second = await admitRun(ctx, admission)
  expect(second.run_id).toBe(first.run_id)
  expect(first.run_id).toMatch(/^run_[0-9a-z]{26}$/)
})

test.each([
  { route: '/triggers/manual', body: { pack: 'test', template: 'recover', inputs: {}, reason: 'by hand' } },
  { route: '/triggers/pattern', body: { pack: 'test', template: 'recover', pattern: 'Leak', service: 'pool' } },
])('$route: what died after its run was admitted starts no second one, a replay does', async ({ route, body }) => {
  const of = findInboxRoute(inbox, route) ?? expect.fail('no such route')
  const sent = { ...delivery(body), route }
  const dies: InboxRoute<object> = { ...of, process: async (context, given) => of.process(context, given).then(away) }
  await receiveDelivery(ctx, dies, sent, { defer: false })
  const runs = () => database.db<{ id: string }[]>`
    select id from runs where provenance #>> '{trigger,delivery_id}' = ${sent.id} order by created_at`
  const [first, ...others] = await runs()
  expect(others).toEqual([])
  await database.db`update runs set status = 'failed', error = '{}', ended_at = now() where id = ${first?.id ?? ''}`
  expect(await drain()).toBe(1)
  expect(await runs()).toEqual([first])
  expect(await row(sent.id)).toMatchObject({ status: 'started', run_id: first?.id })
  expect(await replayInbox(ctx, { ids: [sent.id], mode: 'force' })).toMatchObject([{ outcome: 'started' }])
  expect(await runs()).toHaveLength(2)
  const [again] = await database.db<{ type: string; lane: string }[]>`
    select provenance #>> '{trigger,type}' as type, lane from runs where id = (select run_id from inbox_items where id = ${sent.id})`
  expect(again).toEqual({ type: 'replay', lane: 'background' })
})

test('a claim that its holder lets run out is taken up, an older one of the line first', async () => {
  const dying = at(0)
  const first = delivery(groupOf([{ service: 'lost' }]))
  const second = delivery(groupOf([{ service: 'lost' }]))
  const never: InboxRoute<object> = { path: '/triggers/alert', process: away }
  await receiveDelivery(dying, never, first, { defer: false })
  await receiveDelivery(dying, never, second, { defer: false })
  await drain()
  expect((await row(first.id)).status).toBe('started')
  expect((await row(second.id)).status).toBe('attached')
})

test('of those that were at work when a process ended only the one that ends the next is set aside', async () => {
  const [before, deadly, after] = ['before', 'deadly', 'after'].map((service) => delivery(groupOf([{ service }])))
  if (!before || !deadly || !after) return expect.fail('no deliveries')
  // all three were claimed by the process that ended
  for (const sent of [before, deadly, after])
    await at(15_000)
      .inbox.items.add(await toInboxDraft(ctx, sent), true)
      .then(({ claim }) => expect(claim).not.toBeNull())
  await database.db`update inbox_items set claimed_until = now()`
  const { items } = inbox
  const live = delivery(groupOf([{ service: 'live' }]))
  expect(await receiveDelivery(ctx, alertDelivery, live, { defer: false })).toMatchObject({ outcome: 'received' })
  // the next process works on the first, and ends with the second
  let more = 2
  await drainInbox({
    services: ctx,
    workspaces: createWorkspaceDirectory(createWorkspaceStore(database.db), Date.now),
    inbox,
    may_go_on: () => --more > 0,
  })
  expect(await items.next()).toMatchObject({ id: deadly.id, processes_ended: 1 })
  await database.db`update inbox_items set claimed_until = now() where id = ${deadly.id}`
  expect(await drain()).toBe(3)
  expect(await row(deadly.id)).toMatchObject({ status: 'failed', attempts: 2, error: { code: 'process_ended' } })
  for (const { id } of [before, after, live]) expect((await row(id)).status).toBe('started')

  // what is set aside is so until a replay has succeeded
  const setAside = () => database.db`select subject from set_aside where kind = 'delivery'`
  await items.noteReplay(deadly.id, { status: 'failed', error: { code: 'not_found', message: 'no template' } })
  expect(await setAside()).toEqual([{ subject: deadly.id }])
  await items.noteReplay(deadly.id, { status: 'started' })
  expect(await setAside()).toEqual([])
})

test('a process that lost its claim neither keeps nor ends the one that took its place', async () => {
  const sent = delivery(groupOf([{ service: 'taken-over' }]))
  const { items } = at(15_000).inbox
  const lost = await items.add(await toInboxDraft(ctx, sent), true)
  await database.db`update inbox_items set claimed_until = now() where id = ${sent.id}`
  const next = (await items.next()) ?? expect.fail('no delivery')
  await items.defer({ id: sent.id, claim: lost.claim ?? '' }, { code: 'dependency_unavailable', message: 'not there' })
  expect(await items.next()).toBeUndefined()
  await items.setAside(next, { code: 'process_ended', message: 'twice' }, runDraft().audit ?? expect.fail('no record'))
  await items.settle({ id: sent.id, claim: lost.claim ?? '' }, { status: 'started' })
  expect(await row(sent.id)).toMatchObject({ status: 'failed' })
})

test('a claim is renewed by its holder, and by nobody who lost it', async () => {
  const sent = delivery(groupOf([{ service: 'renewed' }]))
  const { items } = at(3_000).inbox
  const lost = await items.add(await toInboxDraft(ctx, sent), true)
  const until = async () =>
    (await database.db<{ until: string }[]>`select claimed_until::text as until from inbox_items`)[0]?.until
  const old = items.hold({ id: sent.id, claim: lost.claim ?? '' })
  onTestFinished(old.letGo)
  const first = await until()
  await vi.waitFor(async () => expect(await until()).not.toBe(first), PATIENCE)
  await database.db`update inbox_items set claimed_until = now() where id = ${sent.id}`
  await items.next()
  const second = await until()
  await setTimeout(1_300)
  expect(await until()).toBe(second)
})

test('an attempt that ended in order does not count, however often', async () => {
  const sent = delivery(groupOf([{ service: 'outage' }]))
  const route: InboxRoute<object> = { path: '/triggers/alert', process: away }
  await receiveDelivery(ctx, route, sent, { defer: false })
  for (let n = 0; n < 3; n += 1) {
    const claimed = (await inbox.items.next()) ?? expect.fail('no delivery')
    expect(claimed.processes_ended).toBe(0)
    await inbox.items.defer(claimed, { code: 'dependency_unavailable', message: 'not there' })
  }
  expect(await drain()).toBe(1)
  expect(await row(sent.id)).toMatchObject({ status: 'started' })
})

test('a delivery that cannot be understood is refused, kept and not tried again', async () => {
  const sent = delivery({ what: 'is this' })
  await expect(receiveDelivery(ctx, alertDelivery, sent, { defer: false })).rejects.toMatchObject({
    code: 'unrecognised_alert',
  })
  expect(await row(sent.id)).toMatchObject({ status: 'failed', error: { code: 'unrecognised_alert' } })
  expect(await drain()).toBe(0)
})

test('one that cannot be understood does not hold up those behind it', async () => {
  const bad = delivery({ what: 'is this' })
  const good = delivery(groupOf([{ service: 'behind' }]))
  await receiveDelivery(ctx, alertDelivery, bad, { defer: true })
  await receiveDelivery(ctx, alertDelivery, good, { defer: true })
  expect(await drain()).toBe(2)
  expect(await runsOf('behind')).toHaveLength(1)
})

test('two that drain at once take no delivery twice', async () => {
  const sent = Array.from({ length: 40 }, () => delivery(groupOf([{ service: 'two', id: ids.next('request') }])))
  for (const each of sent) await receiveDelivery(ctx, alertDelivery, each, { defer: true })
  const drained = await Promise.all([drain(), drain()])
  expect(drained[0] + drained[1]).toBe(40)
  expect(await runsOf('two')).toMatchObject([{ attached_count: 39 }])
})

test('a body is sealed at rest', async () => {
  const sent = delivery(groupOf([{ service: 'canary-in-the-body' }]))
  await receiveDelivery(ctx, alertDelivery, sent, { defer: true })
  const [kept] = await database.db<{ body: string; sealed: boolean }[]>`select body, sealed from inbox_items`
  expect(kept?.sealed).toBe(true)
  expect(kept?.body).not.toContain('canary')
})

test('what is old is forgotten, except what still waits', async () => {
  const done = delivery(groupOf([{ service: 'old' }]))
  const waiting = delivery(groupOf([{ service: 'old' }]))
  await receiveDelivery(ctx, alertDelivery, done, { defer: false })
  await receiveDelivery(ctx, alertDelivery, waiting, { defer: true })
  await database.db`update inbox_items set received_at = now() - interval '15 days'`
  expect(await purgeInbox(database.db, 14 * 86_400_000)).toBe(1)
  expect((await row(waiting.id)).status).toBe('received')
})
