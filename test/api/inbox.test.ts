import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { AlertResults } from '#api/schemas/alerts.ts'
import { InboxItem, ReplayOutcome } from '#api/schemas/inbox.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import type { Inbox } from '#services/inbox/inbox-route.ts'
import { createTestApi, type TestApi } from '../support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createTestInbox } from '../support/inbox.ts'

const RULE: TriggerRule = {
  name: 'down',
  on: 'alert',
  match: { symptom: 'Down', severity: [], labels: {} },
  run: 'incident/service-recovery',
  inputs: {},
  on_resolved: 'record',
  limits: {},
  layer: 'overlay',
  origin: 'rules/test.yaml',
}

let database: TestDatabase
let inbox: Inbox
let api: TestApi
let off: TestApi
let away = false
let rules: TriggerRule[] = [RULE]

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  inbox = createTestInbox(database)
  off = await createTestApi(database, { intake: { away: () => away } })
  const { environments } = off.deps.services
  const services = { environments: { ...environments, rules: () => rules } }
  api = await createTestApi(database, { services, intake: { inbox, away: () => away } })
})
afterEach(async () => {
  away = false
  rules = [RULE]
  await database.db`delete from inbox_items`
})
afterAll(async () => {
  await api?.close()
  await off?.close()
  await database?.drop()
})

const alert = (service: string, more: object = {}) => ({ source: 'probe', service, symptom: 'Down', ...more })
const list = async (query = '') => z.array(InboxItem).parse(await (await api.get(`/triggers/inbox${query}`)).json())
const only = async () => (await list())[0] ?? expect.fail('the inbox is empty')
const drain = () =>
  drainInbox({ services: api.deps.services, workspaces: api.deps.workspaces, inbox, may_go_on: () => !away })
const replay = async (body: object) => {
  const response = await api.post('/triggers/inbox/replay', body)
  expect(response.status).toBe(200)
  return z.array(ReplayOutcome).parse(await response.json())
}
const runs = async () => (await database.db<{ count: number }[]>`select count(*) as count from runs`)[0]?.count

describe('without an inbox', () => {
  it('its routes say that there is none', async () => {
    const answers = [
      await off.get('/triggers/inbox'),
      await off.post('/triggers/inbox', { route: '/triggers/alert', body: {} }),
      await off.post('/triggers/inbox/replay', { ids: ['dlv_00000000000000000000000000'], mode: 'force' }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(501)
      expect(await answer.json()).toMatchObject({
        code: 'not_configured',
        detail: expect.stringContaining('OBS_TRIGGER_DURABLE'),
      })
    }
  })

  it('triggers refuse while the engine is away, and say when to come again', async () => {
    away = true
    const before = await runs()
    const answer = await off.post('/triggers/alert', alert('nobody-there'))
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(await answer.json()).toMatchObject({ code: 'dependency_unavailable' })
    expect(await runs()).toBe(before)
  })
})

describe('with an inbox', () => {
  it('an alert is answered with what became of it, and with its place in the inbox', async () => {
    const answer = await api.post('/triggers/alert?source=generic', alert('shop'), { 'user-agent': 'probe/1' })
    expect(answer.status).toBe(202)
    const { delivery_id, results } = AlertResults.parse(await answer.json())
    expect(results).toMatchObject([{ outcome: 'started' }])
    expect(await only()).toMatchObject({
      id: delivery_id,
      route: '/triggers/alert',
      source: 'generic',
      status: 'started',
      attempts: 1,
      run_id: results[0]?.run_id,
      headers: { 'content-type': 'application/json', 'user-agent': 'probe/1' },
    })
    const [alerts] =
      await database.db`select provenance #>> '{trigger,delivery_id}' as id from runs where id = ${results[0]?.run_id ?? ''}`
    expect(alerts?.['id']).toBe(delivery_id)
  })

  it('while the engine is away alerts are accepted, kept and started later, in their order and exactly', async () => {
    away = true
    const before = (await runs()) ?? 0
    for (const service of ['a', 'b', 'a', 'a', 'b']) {
      const answer = await api.post('/triggers/alert', alert(`away-${service}`))
      expect(answer.status).toBe(202)
      expect(await answer.json()).toEqual({
        delivery_id: expect.stringMatching(/^dlv_/),
        outcome: 'received',
        results: [],
      })
    }
    expect(await drain()).toBe(0)
    expect(await runs()).toBe(before)
    away = false
    expect(await drain()).toBe(5)
    expect(await runs()).toBe(before + 2)
    const statuses = (await list()).map((item) => item.status).toReversed()
    expect(statuses).toEqual(['started', 'started', 'attached', 'attached', 'attached'])
  })

  it('a refused body is in the inbox with its refusal', async () => {
    expect((await api.post('/triggers/alert', { what: 1 })).status).toBe(422)
    expect(await only()).toMatchObject({ status: 'failed', error: { code: 'unrecognised_alert' } })
  })

  it('a repeat under the same Idempotency-Key is no second delivery', async () => {
    const send = () => api.post('/triggers/alert', alert('keyed'), { 'idempotency-key': 'inbox-1' })
    const first = await (await send()).json()
    expect(await (await send()).json()).toEqual(first)
    expect(await list()).toHaveLength(1)
  })
})

describe('GET /triggers/inbox', () => {
  it('pages, newest first, and filters', async () => {
    for (const service of ['one', 'two', 'three'])
      await api.post('/triggers/alert?source=generic', alert(`page-${service}`))
    await api.post('/triggers/alert', { what: 1 })
    const first = await api.get('/triggers/inbox?limit=3')
    expect(first.headers.get('x-total-count')).toBe('4')
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? expect.fail('no next page')
    const items = z.array(InboxItem).parse(await first.json())
    const rest = z.array(InboxItem).parse(await (await api.get(next)).json())
    expect([...items, ...rest].map((item) => item.id)).toEqual((await list()).map((item) => item.id))
    expect(rest).toHaveLength(1)
    expect(await list('?status=failed')).toHaveLength(1)
    expect(await list('?status=failed,started')).toHaveLength(4)
    expect(await list('?source=generic')).toHaveLength(3)
    expect(await list('?route=/triggers/pattern')).toHaveLength(0)
    const [newest, oldest] = [items[0], rest[0]]
    expect(await list(`?since=${newest?.received_at}`)).not.toContainEqual(oldest)
    expect(await list('?until=2020-01-01T00:00:00Z')).toHaveLength(0)
    expect((await api.get('/triggers/inbox?status=lost')).status).toBe(422)
  })

  it('shows a body only when it is asked for, and no secret in it', async () => {
    await api.post('/triggers/alert', alert('shown', { labels: { team: 'ops', api_token: 'hunter2' } }), {
      authorization: 'Bearer hunter2',
    })
    expect(await only()).not.toHaveProperty('body')
    const text = await (await api.get('/triggers/inbox?body=1')).text()
    expect(text).not.toContain('hunter2')
    expect(JSON.parse(text)).toMatchObject([
      { body: { service: 'shown', labels: { team: 'ops', api_token: '<hidden>' } } },
    ])
  })
})

describe('POST /triggers/inbox', () => {
  it('puts a delivery in that is processed in its turn', async () => {
    const answer = await api.post('/triggers/inbox', {
      route: '/triggers/alert',
      source: 'generic',
      headers: { Authorization: 'Bearer x', 'X-Request-Id': 'r1' },
      body: alert('by-hand'),
    })
    expect(answer.status).toBe(202)
    const item = InboxItem.parse(await answer.json())
    expect(item).toMatchObject({ status: 'received', attempts: 0, headers: { 'x-request-id': 'r1' } })
    expect(await drain()).toBe(1)
    expect(await only()).toMatchObject({ id: item.id, status: 'started' })
    const audited = await database.db`select draft from audit_outbox where draft ->> 'action' = 'inbox.posted'`
    expect(audited).toMatchObject([{ draft: { category: 'trigger', subject: { id: item.id } } }])
  })

  it('refuses a route that takes no deliveries', async () => {
    const answer = await api.post('/triggers/inbox', { route: '/runs', body: {} })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/route' }] })
  })
})

describe('POST /triggers/inbox/replay', () => {
  it('simulate says what would happen and changes nothing', async () => {
    rules = []
    await api.post('/triggers/alert', alert('later'))
    const { id } = await only()
    rules = [RULE]
    const before = await runs()
    expect(await replay({ ids: [id], mode: 'simulate' })).toEqual([
      {
        id,
        outcome: 'simulated',
        would: [expect.objectContaining({ outcome: 'started', rule: 'down', template: 'incident/service-recovery' })],
      },
    ])
    expect(await runs()).toBe(before)
    expect(await only()).toMatchObject({ status: 'unmatched', attempts: 1 })
  })

  it('if_no_run starts what found no rule before, once', async () => {
    rules = []
    await api.post('/triggers/alert', alert('no-rule'))
    rules = [RULE]
    await api.post('/triggers/alert', alert('had-one'))
    const outcomes = await replay({ since: '2020-01-01T00:00:00Z', mode: 'if_no_run' })
    expect(outcomes).toMatchObject([{ outcome: 'started' }, { outcome: 'skipped' }])
    expect(await replay({ since: '2020-01-01T00:00:00Z', mode: 'if_no_run' })).toMatchObject([
      { outcome: 'skipped', run_id: outcomes[0]?.run_id },
      { outcome: 'skipped' },
    ])
  })

  it('force processes anew, with the original delivery in the provenance, and is on record', async () => {
    await api.post('/triggers/alert', alert('forced'))
    const { id, run_id } = await only()
    await database.db`update runs set status = 'failed', error = '{}', ended_at = now() where id = ${run_id ?? ''}`
    const [outcome] = await replay({ ids: [id], mode: 'force' })
    expect(outcome).toMatchObject({ id, outcome: 'started' })
    expect(outcome?.run_id).not.toBe(run_id)
    const [run] =
      await database.db`select provenance -> 'trigger' as trigger from runs where id = ${outcome?.run_id ?? ''}`
    expect(run?.['trigger']).toMatchObject({ type: 'replay', delivery_id: id })
    expect(await only()).toMatchObject({ status: 'replayed', attempts: 2, run_id: outcome?.run_id })
    const [audited] = await database.db`
      select draft from audit_outbox where draft ->> 'action' = 'inbox.replayed' order by id desc limit 1`
    expect(audited?.['draft']).toMatchObject({ category: 'trigger', data: { mode: 'force', deliveries: [id] } })
  })

  it('what waits for its first attempt is left to it; what is unknown is said to be', async () => {
    away = true
    await api.post('/triggers/alert', alert('waiting'))
    const { id } = await only()
    const unknown = 'dlv_00000000000000000000000000'
    expect(await replay({ ids: [unknown, id], mode: 'force' })).toEqual([
      { id, outcome: 'received' },
      { id: unknown, outcome: 'not_found' },
    ])
  })

  it('must be told which deliveries', async () => {
    expect((await api.post('/triggers/inbox/replay', { mode: 'force' })).status).toBe(422)
    expect((await api.post('/triggers/inbox/replay', { since: '2020-01-01T00:00:00Z' })).status).toBe(422)
  })
})
