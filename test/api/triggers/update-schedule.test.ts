import { describe, expect, it } from 'vitest'
import { Schedule } from '#core/schedule/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'
import { openScheduleWorld } from '#test/support/schedule-world.ts'

itIsGuarded('updateSchedule')
itRefuses('updateSchedule', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('schedules')],
])

const world = fileFixture(openScheduleWorld)

describe('PATCH /triggers/scheduled/{id}', () => {
  it('pauses and resumes by enabled or by state, and nothing else', async () => {
    const { id } = await world.make()
    const paused = Schedule.parse(await (await world.send('PATCH', id, { state: 'paused' })).json())
    expect(paused).toMatchObject({ enabled: false, etag: '"2"' })
    expect(paused.next_fire_at).toBeUndefined()
    expect(Schedule.parse(await (await world.send('PATCH', id, { enabled: true })).json()).enabled).toBe(true)
    for (const body of [{}, { enabled: true, state: 'active' }, { cron: '* * * * *' }])
      expect((await world.send('PATCH', id, body)).status).toBe(422)
  })

  it('meets a stale tag with 412', async () => {
    const { id } = await world.make()
    expect((await world.send('PATCH', id, { enabled: false }, { 'if-match': '"7"' })).status).toBe(412)
    expect((await world.send('DELETE', id, undefined, { 'if-match': '"1"' })).status).toBe(204)
  })

  it('leaves what a file declares to the file', async () => {
    const { id } = await world.make()
    await world.database.db`update schedules set source = 'overlay' where id = ${id}`
    expect((await world.send('PATCH', id, { enabled: false })).status).toBe(200)
    expect((await world.send('DELETE', id)).status).toBe(409)
  })
})
