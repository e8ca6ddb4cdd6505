import { describe, expect, it } from 'vitest'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'
import { openScheduleWorld } from '#test/support/schedule-world.ts'

itIsGuarded('deleteSchedule')
itRefuses('deleteSchedule', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('schedules')],
])

const world = fileFixture(openScheduleWorld)

describe('DELETE /triggers/scheduled/{id}', () => {
  it('leaves nothing behind that answers, and frees the name', async () => {
    const { id, name } = await world.make()
    expect((await world.send('DELETE', id)).status).toBe(204)
    for (const answer of [await world.send('DELETE', id), await world.send('PATCH', id, { enabled: true })])
      expect(answer.status).toBe(404)
    await world.make({ name })
  })
})
