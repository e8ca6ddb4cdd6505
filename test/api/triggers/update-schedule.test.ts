import { describe, expect, it } from 'vitest'
import { CreatedSchedule, Schedule } from '#core/schedule/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('updateSchedule')
itRefuses('updateSchedule', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('schedules')],
])

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
const send = (method: string, id: string, body?: unknown, headers: Record<string, string> = {}) =>
  api.app.request(`/triggers/scheduled/${id}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

describe('PATCH /triggers/scheduled/{id}', () => {
  it('pauses and resumes by enabled or by state, and nothing else', async () => {
    const { id } = await make()
    const paused = Schedule.parse(await (await send('PATCH', id, { state: 'paused' })).json())
    expect(paused).toMatchObject({ enabled: false, etag: '"2"' })
    expect(paused.next_fire_at).toBeUndefined()
    expect(Schedule.parse(await (await send('PATCH', id, { enabled: true })).json()).enabled).toBe(true)
    for (const body of [{}, { enabled: true, state: 'active' }, { cron: '* * * * *' }])
      expect((await send('PATCH', id, body)).status).toBe(422)
  })

  it('meets a stale tag with 412', async () => {
    const { id } = await make()
    expect((await send('PATCH', id, { enabled: false }, { 'if-match': '"7"' })).status).toBe(412)
    expect((await send('DELETE', id, undefined, { 'if-match': '"1"' })).status).toBe(204)
  })

  it('leaves what a file declares to the file', async () => {
    const { id } = await make()
    await database.db`update schedules set source = 'overlay' where id = ${id}`
    expect((await send('PATCH', id, { enabled: false })).status).toBe(200)
    expect((await send('DELETE', id)).status).toBe(409)
  })
})
