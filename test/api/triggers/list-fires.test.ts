import { describe, expect, it } from 'vitest'
import { CreatedSchedule, ScheduleFires } from '#core/schedule/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('listFires')

const database = testDatabase()
const api = testApi(database, { services: { clock: () => Date.parse('2026-03-28T12:00:00Z') } })

describe('GET /triggers/scheduled/{id}/fires', () => {
  it('tells the next ten times, across the changeover of its zone, and none while it is paused', async () => {
    const draft = { name: 'nightly', cron: '30 4 * * *', timezone: 'Europe/Berlin', pack: 'incident' }
    const made = await api.post('/triggers/scheduled', { ...draft, template: 'service-recovery' })
    const { id, next_fires } = CreatedSchedule.parse(await made.json())
    const fires = async () => ScheduleFires.parse(await (await api.get(`/triggers/scheduled/${id}/fires`)).json())
    expect(await fires()).toEqual({ next: next_fires, past: [] })
    expect(next_fires.slice(0, 2)).toEqual(['2026-03-29T02:30:00.000Z', '2026-03-30T02:30:00.000Z'])
    await database.db`
      insert into schedule_firings (schedule_id, nominal_at, workspace_id, outcome, reason)
      select ${id}, time, workspace_id, 'missed', 'nothing ran then'
      from schedules, unnest(array['2026-03-26T03:30:00Z', '2026-03-27T03:30:00Z']::timestamptz[]) time where id = ${id}`
    await database.db`update schedules set enabled = false where id = ${id}`
    expect(await fires()).toMatchObject({
      next: [],
      past: [
        { nominal_at: '2026-03-27T03:30:00.000Z', outcome: 'missed', reason: 'nothing ran then' },
        { nominal_at: '2026-03-26T03:30:00.000Z', outcome: 'missed' },
      ],
    })
  })
})
