import { expect } from 'vitest'
import { CreatedSchedule } from '#core/schedule/schema.ts'
import { createTestApi } from './api-client.ts'
import { createTestDatabase } from './database.ts'

/** An API the day before Berlin puts its clocks forward, and what makes schedules there. */
export async function openScheduleWorld(postgresUrl: string) {
  const database = await createTestDatabase(postgresUrl)
  const api = await createTestApi(database, { services: { clock: () => Date.parse('2026-03-28T12:00:00Z') } })
  let names = 0
  const draft = (fields: Record<string, unknown> = {}) => {
    names += 1
    return { name: `schedule-${names}`, cron: '30 2 * * *', pack: 'incident', template: 'service-recovery', ...fields }
  }
  const post = (fields: Record<string, unknown> = {}) => api.post('/triggers/scheduled', draft(fields))
  return {
    ...{ database, api, draft, post },
    async make(fields: Record<string, unknown> = {}) {
      const answer = await post(fields)
      expect(answer.status).toBe(201)
      return CreatedSchedule.parse(await answer.json())
    },
    send: (method: string, id: string, body?: unknown, headers: Record<string, string> = {}) =>
      api.app.request(`/triggers/scheduled/${id}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async close() {
      await api.close()
      await database.drop()
    },
  }
}
