import { describe, expect, inject, it } from 'vitest'
import { CreatedSchedule, Schedule } from '#core/schedule/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { OF, openPresetWorld } from '#test/support/preset-world.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('listSchedules')
itRefuses('listSchedules', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

let names = 0

const database = testDatabase()
const api = testApi(database, { services: { clock: () => Date.parse('2026-03-28T12:00:00Z') } })

const draft = (fields: Record<string, unknown> = {}) => {
  names += 1
  return { name: `schedule-${names}`, cron: '30 2 * * *', pack: 'incident', template: 'service-recovery', ...fields }
}
const post = (fields: Record<string, unknown> = {}) => api.post('/triggers/scheduled', draft(fields))
const make = async (fields: Record<string, unknown> = {}) => {
  const answer = await post(fields)
  expect(answer.status).toBe(201)
  return CreatedSchedule.parse(await answer.json())
}

describe('GET /triggers/scheduled', () => {
  it('lists of several layers with one name the one in force', async () => {
    const { id: below, name } = await make()
    await database.db`update schedules set source = 'pack' where id = ${below}`
    const { id: above } = await make({ name })
    const listed = Schedule.array().parse(await (await api.get('/triggers/scheduled?limit=200')).json())
    expect(listed.filter((each) => each.name === name).map((each) => each.id)).toEqual([above])
  })
})

it('does not show an input that has become secret since the schedule was made', async () => {
  const world = await openPresetWorld(inject('postgres_url'))
  const made = await world.send('POST', '/triggers/scheduled', {
    ...{ ...OF, name: 'nightly', cron: '@daily' },
    inputs: { url: 'hunter2', action: 'rollback' },
  })
  expect(made.status).toBe(201)
  world.takes({ type: 'object', properties: { url: { type: 'string', writeOnly: true }, action: {} } })
  const shown = await (await world.send('GET', '/triggers/scheduled')).text()
  await world.close()
  expect(shown).toContain('rollback')
  expect(shown).not.toContain('hunter2')
})
