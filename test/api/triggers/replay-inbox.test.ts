import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ReplayOutcome } from '#api/schemas/inbox.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { alert, DOWN, openInboxWorld } from '#test/support/inbox-world.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('replayInbox')

const world = fileFixture(openInboxWorld)
afterEach(() => world.reset())

itRefuses('replayInbox', () => ({ api: world.off }), [
  [
    501,
    'not_configured',
    () => () => world.off.post('/triggers/inbox/replay', { since: '2020-01-01T00:00:00Z', mode: 'force' }),
  ],
])

const replay = async (body: object) => {
  const response = await world.api.post('/triggers/inbox/replay', body)
  expect(response.status).toBe(200)
  return z.array(ReplayOutcome).parse(await response.json())
}

describe('POST /triggers/inbox/replay', () => {
  it('simulate says what would happen and changes nothing', async () => {
    world.rules = []
    await world.api.post('/triggers/alert', alert('later'))
    const { id } = await world.only()
    world.rules = [DOWN]
    const before = await world.runs()
    expect(await replay({ ids: [id], mode: 'simulate' })).toEqual([
      {
        id,
        outcome: 'simulated',
        would: [expect.objectContaining({ outcome: 'started', rule: 'down', template: 'incident/service-recovery' })],
      },
    ])
    expect(await world.runs()).toBe(before)
    expect(await world.only()).toMatchObject({ status: 'unmatched', attempts: 1 })
  })

  it('if_no_run starts what found no rule before, once', async () => {
    world.rules = []
    await world.api.post('/triggers/alert', alert('no-rule'))
    world.rules = [DOWN]
    await world.api.post('/triggers/alert', alert('had-one'))
    const outcomes = await replay({ since: '2020-01-01T00:00:00Z', mode: 'if_no_run' })
    expect(outcomes).toMatchObject([{ outcome: 'started' }, { outcome: 'skipped' }])
    expect(await replay({ since: '2020-01-01T00:00:00Z', mode: 'if_no_run' })).toMatchObject([
      { outcome: 'skipped', run_id: outcomes[0]?.run_id },
      { outcome: 'skipped' },
    ])
  })

  it('force processes again, with the original delivery in the provenance, and is on record', async () => {
    await world.api.post('/triggers/alert', alert('forced'))
    const { id, run_id } = await world.only()
    await world.database
      .db`update runs set status = 'failed', error = '{}', ended_at = now() where id = ${run_id ?? ''}`
    const [outcome] = await replay({ ids: [id], mode: 'force' })
    expect(outcome).toMatchObject({ id, outcome: 'started' })
    expect(outcome?.run_id).not.toBe(run_id)
    const [run] = await world.database
      .db`select provenance -> 'trigger' as trigger from runs where id = ${outcome?.run_id ?? ''}`
    expect(run?.['trigger']).toMatchObject({ type: 'replay', delivery_id: id })
    expect(await world.only()).toMatchObject({ status: 'replayed', attempts: 2, run_id: outcome?.run_id })
    const [audited] = await world.database.db`
      select draft from audit_outbox where draft ->> 'action' = 'inbox.replayed' order by id desc limit 1`
    expect(audited?.['draft']).toMatchObject({ category: 'trigger', data: { mode: 'force', deliveries: [id] } })
  })

  it('force starts what has ended since, which if_no_run leaves, and the next end ends it', async () => {
    const [began, ended, over] = [10, 20, 30].map((minute) => `2026-01-01T14:${minute}:00Z`)
    world.rules = []
    await world.api.post('/triggers/alert', alert('over', { external_id: 'over', starts_at: began }))
    const { id } = await world.only()
    world.rules = [DOWN]
    const end = (ends_at = ended) =>
      world.api.post('/triggers/alert', alert('over', { external_id: 'over', status: 'resolved', ends_at }))
    await end()
    expect(await replay({ ids: [id], mode: 'if_no_run' })).toMatchObject([{ id, outcome: 'unmatched' }])
    const [forced] = await replay({ ids: [id], mode: 'force' })
    expect(forced).toMatchObject({ id, outcome: 'started' })
    const ends = () => world.database.db`
      select data from run_events where run_id = ${forced?.run_id ?? ''} and type = 'alert.resolved'`
    expect(await ends()).toEqual([])
    await end(over)
    expect(await ends()).toEqual([{ data: { member: 'over', remaining: 0 } }])
  })

  it('what waits for its first attempt is left to it; what is unknown is said to be', async () => {
    world.away = true
    await world.api.post('/triggers/alert', alert('waiting'))
    const { id } = await world.only()
    const unknown = 'dlv_00000000000000000000000000'
    expect(await replay({ ids: [unknown, id], mode: 'force' })).toEqual([
      { id, outcome: 'received' },
      { id: unknown, outcome: 'not_found' },
    ])
  })

  it('must be told which deliveries', async () => {
    expect((await world.api.post('/triggers/inbox/replay', { mode: 'force' })).status).toBe(422)
    expect((await world.api.post('/triggers/inbox/replay', { since: '2020-01-01T00:00:00Z' })).status).toBe(422)
  })
})
