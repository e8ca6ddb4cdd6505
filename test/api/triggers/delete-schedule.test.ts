import { describe, expect, it } from 'vitest'
import { CreatedSchedule } from '#core/schedule/schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteSchedule')
itRefuses('deleteSchedule', sharedWorld, [
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

describe('DELETE /triggers/scheduled/{id}', () => {
  it('leaves nothing behind that answers, and frees the name', async () => {
    const { id, name } = await make()
    expect((await send('DELETE', id)).status).toBe(204)
    for (const answer of [await send('DELETE', id), await send('PATCH', id, { enabled: true })])
      expect(answer.status).toBe(404)
    await make({ name })
  })
})
