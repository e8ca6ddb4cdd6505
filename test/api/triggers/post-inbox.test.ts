import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InboxItem } from '#api/schemas/inbox.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import { createTestApi, type TestApi, testApi } from '#test/support/api-client.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('postInbox')

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

itRefuses('postInbox', () => ({ api: off }), [
  [501, 'not_configured', () => () => off.post('/triggers/inbox', { route: '/triggers/alert', body: {} })],
])

const alert = (service: string, more: object = {}) => ({ source: 'probe', service, symptom: 'Down', ...more })
const list = async (query = '') => z.array(InboxItem).parse(await (await api.get(`/triggers/inbox${query}`)).json())
const only = async () => (await list())[0] ?? expect.fail('the inbox is empty')
const drain = () =>
  drainInbox({ services: api.deps.services, workspaces: api.deps.workspaces, inbox, may_go_on: () => !away })

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
