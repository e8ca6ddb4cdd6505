import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InboxItem, ReplayOutcome } from '#api/schemas/inbox.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { createTestApi, type TestApi, testApi } from '#test/support/api-client.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('replayInbox')

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

itRefuses('replayInbox', () => ({ api: off }), [
  [
    501,
    'not_configured',
    () => () => off.post('/triggers/inbox/replay', { since: '2020-01-01T00:00:00Z', mode: 'force' }),
  ],
])

const alert = (service: string, more: object = {}) => ({ source: 'probe', service, symptom: 'Down', ...more })
const list = async (query = '') => z.array(InboxItem).parse(await (await api.get(`/triggers/inbox${query}`)).json())
const only = async () => (await list())[0] ?? expect.fail('the inbox is empty')
const replay = async (body: object) => {
  const response = await api.post('/triggers/inbox/replay', body)
  expect(response.status).toBe(200)
  return z.array(ReplayOutcome).parse(await response.json())
}
const runs = async () => (await database.db<{ count: number }[]>`select count(*) as count from runs`)[0]?.count

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

  it('force processes again, with the original delivery in the provenance, and is on record', async () => {
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

  it('force starts what has ended since, which if_no_run leaves, and the next end ends it', async () => {
    const [began, ended, over] = [10, 20, 30].map((minute) => `2026-01-01T14:${minute}:00Z`)
    rules = []
    await api.post('/triggers/alert', alert('over', { external_id: 'over', starts_at: began }))
    const { id } = await only()
    rules = [RULE]
    const end = (ends_at = ended) =>
      api.post('/triggers/alert', alert('over', { external_id: 'over', status: 'resolved', ends_at }))
    await end()
    expect(await replay({ ids: [id], mode: 'if_no_run' })).toMatchObject([{ id, outcome: 'unmatched' }])
    const [forced] = await replay({ ids: [id], mode: 'force' })
    expect(forced).toMatchObject({ id, outcome: 'started' })
    const ends = () => database.db`
      select data from run_events where run_id = ${forced?.run_id ?? ''} and type = 'alert.resolved'`
    expect(await ends()).toEqual([])
    await end(over)
    expect(await ends()).toEqual([{ data: { member: 'over', remaining: 0 } }])
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
