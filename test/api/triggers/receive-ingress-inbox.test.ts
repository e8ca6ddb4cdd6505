import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InboxItem, ReplayOutcome } from '#api/schemas/inbox.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import { createIngressDeliveries, type HeldDelivery } from '#store/alerts/ingress-deliveries.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import {
  createIngressApi,
  deployment,
  HOOK,
  order,
  post,
  publish,
  runsOf,
  SECRETS,
  send,
  signedBySlack,
} from '#test/support/ingress.ts'

let away = false

const database = testDatabase()
const inbox = fileFixture(() => createTestInbox(database))
const api = fileFixture(() => createIngressApi(database, { intake: { inbox, away: () => away } }))
afterEach(async () => {
  away = false
  await database.db`delete from inbox_items`
})

const list = async (query = '') => z.array(InboxItem).parse(await (await api.get(`/triggers/inbox${query}`)).json())
const only = async () => (await list('?body=1'))[0] ?? expect.fail('the inbox is empty')
const drain = () =>
  drainInbox({ services: api.deps.services, workspaces: api.deps.workspaces, inbox, may_go_on: () => !away })
const replay = async (body: object) =>
  z.array(ReplayOutcome).parse(await (await api.post('/triggers/inbox/replay', body)).json())
const triggerOf = async (run = '') =>
  (await database.db`select provenance -> 'trigger' as trigger from runs where id = ${run}`)[0]?.['trigger']

describe('with an inbox', () => {
  it('a signed delivery is answered as without, and stands in the inbox under its id', async () => {
    const { status, body } = await post(api, deployment({ service: 'at-once' }))
    expect(status).toBe(202)
    expect(body).toMatchObject({ outcome: 'started', rule: 'deployment-failed' })
    expect(await only()).toMatchObject({ id: body.delivery_id, route: HOOK, status: 'started', run_id: body.run_id })
    expect(await triggerOf(body.run_id)).toMatchObject({ type: 'ingress', delivery_id: body.delivery_id })
  })

  it('while the engine is away it is accepted once, and started later in the order of receipt', async () => {
    away = true
    const sent = ['a', 'b', 'a', 'a', 'b'].map((name) => deployment({ service: `away-${name}` }))
    const answers: Awaited<ReturnType<typeof post>>[] = []
    for (const body of sent) answers.push(await post(api, body))
    for (const { status, body } of answers) {
      expect(status).toBe(202)
      expect(body).toEqual({ delivery_id: expect.stringMatching(/^dlv_/), outcome: 'received', results: [] })
    }
    expect((await post(api, sent[0] ?? '')).body).toEqual(answers[0]?.body)
    expect(await runsOf(database, 'away-')).toHaveLength(0)
    away = false
    expect(await drain()).toBe(5)
    const items = (await list()).toReversed()
    expect(items.map((item) => item.id)).toEqual(answers.map(({ body }) => body.delivery_id))
    expect(items.map((item) => item.status)).toEqual(['started', 'started', 'attached', 'attached', 'attached'])
    expect((await post(api, sent[0] ?? '')).body).toEqual(answers[0]?.body)
    expect(await list()).toHaveLength(5)
    const [run] = await runsOf(database, 'away-a')
    expect(run).toMatchObject({ id: items[0]?.run_id, provenance: { actor: { id: 'ingress:sre/github-deployments' } } })
  })

  it('what waited is read as it would have been at once: named headers, forms and messages of SNS', async () => {
    away = true
    await order(api, '{"service":"headers"}', SECRETS.new)
    const form = `command=%2Fdeploy&payload=${encodeURIComponent('{"service":"later form"}')}`
    const type = 'application/x-www-form-urlencoded'
    await send(api, '/triggers/ingress/sre/form', form, { 'content-type': type, ...signedBySlack(form) })
    await publish(
      api,
      { Type: 'Notification', Message: '{"AlarmName":"later-alarm"}' },
      { unsigned: { Extra: 'Forged' } },
    )
    const SubscribeURL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription'
    await publish(api, { Type: 'SubscriptionConfirmation', Message: 'Confirm', Token: 'abc', SubscribeURL })
    away = false
    expect(await drain()).toBe(4)
    const items = (await list('?body=1')).toReversed()
    expect(items.map((item) => item.status)).toEqual(['started', 'started', 'started', 'unmatched'])
    const [run] = await database.db`select reason from runs where id = ${items[0]?.run_id ?? ''}`
    expect(run?.['reason']).toBe('An order failed')
    expect(await runsOf(database, 'later form|/deploy')).toHaveLength(1)
    expect(await runsOf(database, 'later-alarm|alarm')).toHaveLength(1)
    expect(items[3]?.body).toMatchObject({ SubscribeURL, Token: '<hidden>' })
  })

  it('no signature, token or secret is kept, neither shown nor at rest', async () => {
    const unsealed = { ...createTestInbox(database) }
    delete unsealed.box
    const open = await createIngressApi(database, { intake: { inbox: unsealed } })
    const headers = { authorization: 'Bearer unseen', cookie: 'a=unseen', 'x-title': 'unseen-here' }
    const body = deployment({ service: 'plain' })
    await post(open, body, { headers, id: 'guid-kept' })
    await publish(open, { Type: 'Notification', Message: '{"AlarmName":"plain-alarm"}' })
    const rows = await database.db`select body, facts, headers, actor from inbox_items order by received_at`
    expect(rows[0]).toMatchObject({ body, facts: { provider_delivery_id: 'guid-kept' } })
    expect(rows[0]?.['headers']).toEqual({
      'content-type': 'application/json',
      'x-github-event': 'deployment_status',
      'x-github-delivery': 'guid-kept',
    })
    expect(rows[1]?.['body']).toContain('plain-alarm')
    expect(JSON.stringify(rows)).not.toMatch(/unseen|sha256=|Signature|secret of the repository/)
    await open.close()
  })

  it('what died before the inbox had it is taken under the same id by the next try', async () => {
    const body = deployment({ service: 'early' })
    const { delivery_id = '', run_id } = (await post(api, body)).body
    await database.db`delete from inbox_items`
    await database.db`
      update ingress_deliveries set answer = null, claimed_at = now() - interval '2 minutes' where delivery_id = ${delivery_id}`
    expect((await post(api, body)).body).toMatchObject({ delivery_id, outcome: 'started', run_id })
    expect(await only()).toMatchObject({ id: delivery_id, status: 'started', run_id })
  })

  it('a failure gives a delivery back to its sender, unless the inbox will still process it', async () => {
    const deliveries = createIngressDeliveries(database.db)
    away = true
    await post(api, deployment({ service: 'given-back' }))
    const { id } = await only()
    const [row] = await database.db<HeldDelivery[]>`
      update ingress_deliveries set answer = null where delivery_id = ${id} returning workspace_id, pack, name, delivery_key,
        claimed_at::text as claim`
    const ref = row ?? expect.fail('no delivery')
    await deliveries.release(ref)
    expect(await deliveries.begin(ref, 'dlv_fresh')).toMatchObject({ kind: 'kept', delivery_id: id })
    await database.db`update inbox_items set status = 'failed'`
    await deliveries.release(ref)
    expect(await deliveries.begin(ref, 'dlv_fresh')).toMatchObject({ kind: 'fresh' })
  })

  it('a sender whose answer was lost learns that the inbox has its delivery', async () => {
    const body = deployment({ service: 'lost' })
    const { delivery_id = '' } = (await post(api, body)).body
    for (const since of ['0 seconds', '2 minutes']) {
      await database.db`
        update ingress_deliveries set answer = null, claimed_at = now() - ${since}::interval where delivery_id = ${delivery_id}`
      expect(await post(api, body)).toMatchObject({ status: 202, body: { delivery_id, outcome: 'received' } })
    }
    const [run] = await runsOf(database, 'lost')
    expect(await database.db`select from run_alerts where run_id = ${run?.id ?? ''}`).toHaveLength(1)
    expect(await list()).toHaveLength(1)
  })
})

describe('POST /triggers/inbox/replay', () => {
  it('simulates, skips what led to a run, and forces a new one under the recorded provider id', async () => {
    const body = deployment({ service: 'replayed' })
    const first = (await post(api, body, { id: 'guid-replay' })).body
    const ids = [first.delivery_id ?? '']
    expect(await replay({ ids, mode: 'simulate' })).toMatchObject([
      { outcome: 'simulated', would: [{ outcome: 'attached', rule: 'deployment-failed', run_id: first.run_id }] },
    ])
    expect(await replay({ ids, mode: 'if_no_run' })).toMatchObject([{ outcome: 'skipped', run_id: first.run_id }])
    await database.db`update runs set status = 'failed', error = '{}', ended_at = now() where id = ${first.run_id ?? ''}`
    const [forced] = await replay({ ids, mode: 'force' })
    expect(forced).toMatchObject({ id: ids[0], outcome: 'started' })
    expect(forced?.run_id).not.toBe(first.run_id)
    expect(await triggerOf(forced?.run_id)).toMatchObject({
      type: 'replay',
      id: 'sre/github-deployments',
      delivery_id: ids[0],
      provider_delivery_id: 'guid-replay',
      rule: 'deployment-failed',
    })
    expect((await post(api, body)).body).toEqual(first)
  })

  it('processes what found no rule before', async () => {
    await post(api, JSON.stringify({ zen: randomUUID() }))
    const { id, status } = await only()
    expect(status).toBe('unmatched')
    expect(await replay({ ids: [id], mode: 'simulate' })).toMatchObject([{ would: [{ outcome: 'suppressed' }] }])
    expect(await replay({ ids: [id], mode: 'if_no_run' })).toMatchObject([{ outcome: 'unmatched' }])
  })

  it('a delivery put in by hand for an ingress that is not there fails and says so', async () => {
    const posted = await api.post('/triggers/inbox', { route: '/triggers/ingress/sre/nothing', body: {} })
    expect(posted.status).toBe(202)
    await drain()
    expect(await only()).toMatchObject({ status: 'failed', error: { code: 'not_found' } })
  })
})
