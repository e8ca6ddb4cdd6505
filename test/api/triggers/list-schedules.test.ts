import { describe, expect, inject, it } from 'vitest'
import { Schedule } from '#core/schedule/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { OF, openPresetWorld } from '#test/support/preset-world.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { openScheduleWorld } from '#test/support/schedule-world.ts'

itIsGuarded('listSchedules')
itRefuses('listSchedules', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

const world = fileFixture(openScheduleWorld)

describe('GET /triggers/scheduled', () => {
  it('lists of several layers with one name the one in force', async () => {
    const { id: below, name } = await world.make()
    await world.database.db`update schedules set source = 'pack' where id = ${below}`
    const { id: above } = await world.make({ name })
    const listed = Schedule.array().parse(await (await world.api.get('/triggers/scheduled?limit=200')).json())
    expect(listed.filter((each) => each.name === name).map((each) => each.id)).toEqual([above])
  })
})

it('does not show an input that has become secret since the schedule was made', async () => {
  const presets = await openPresetWorld(inject('postgres_url'))
  const made = await presets.send('POST', '/triggers/scheduled', {
    ...{ ...OF, name: 'nightly', cron: '@daily' },
    inputs: { url: 'hunter2', action: 'rollback' },
  })
  expect(made.status).toBe(201)
  presets.takes({ type: 'object', properties: { url: { type: 'string', writeOnly: true }, action: {} } })
  const shown = await (await presets.send('GET', '/triggers/scheduled')).text()
  await presets.close()
  expect(shown).toContain('rollback')
  expect(shown).not.toContain('hunter2')
})
