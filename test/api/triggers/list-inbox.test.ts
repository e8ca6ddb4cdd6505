import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InboxItem } from '#api/schemas/inbox.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { createTestApi, type TestApi, testApi } from '#test/support/api-client.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('listInbox')
itRefuses('listInbox', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

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

itRefuses('listInbox', () => ({ api: off }), [[501, 'not_configured', () => () => off.get('/triggers/inbox')]])

const alert = (service: string, more: object = {}) => ({ source: 'probe', service, symptom: 'Down', ...more })
const list = async (query = '') => z.array(InboxItem).parse(await (await api.get(`/triggers/inbox${query}`)).json())
const only = async () => (await list())[0] ?? expect.fail('the inbox is empty')

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
