import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AlertResults } from '#api/routes/triggers/receive-alerts.ts'
import { InboxItem } from '#api/schemas/inbox.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import { createTestApi, type TestApi, testApi } from '#test/support/api-client.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createTestInbox } from '#test/support/inbox.ts'

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

let api: TestApi
let away = false
let rules: TriggerRule[] = [RULE]

const database = testDatabase()
const inbox = fileFixture(() => createTestInbox(database))
const off = testApi(database, { intake: { away: () => away } })
beforeAll(async () => {
  const { environments } = off.deps.services
  const services = { environments: { ...environments, rules: () => rules } }
  api = await createTestApi(database, { services, intake: { inbox, away: () => away } })
})
afterEach(async () => {
  away = false
  rules = [RULE]
  await database.db`delete from inbox_items`
})
afterAll(() => api?.close())

const alert = (service: string, more: object = {}) => ({ source: 'probe', service, symptom: 'Down', ...more })
const list = async (query = '') => z.array(InboxItem).parse(await (await api.get(`/triggers/inbox${query}`)).json())
const only = async () => (await list())[0] ?? expect.fail('the inbox is empty')
const drain = () =>
  drainInbox({ services: api.deps.services, workspaces: api.deps.workspaces, inbox, may_go_on: () => !away })

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

describe('a transition that nobody knows', () => {
  it('stands in the inbox with its reason, and starts nothing', async () => {
    const group = { version: '4', alerts: [{ status: 'snoozed', labels: { alertname: 'Down', service: 'odd' } }] }
    const { results } = AlertResults.parse(await (await api.post('/triggers/alert', group)).json())
    expect(results).toMatchObject([{ outcome: 'suppressed' }])
    expect(await only()).toMatchObject({
      status: 'unmatched',
      error: { code: 'suppressed', message: expect.stringContaining('"snoozed"') },
    })
  })
})
