import { describe, expect, it } from 'vitest'
import { SchedulePreview } from '#core/schedule/schema.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('previewSchedule')

describe('GET /triggers/scheduled/preview', () => {
  const preview = async (query: Record<string, string>) => {
    const world = await sharedWorld()
    const reply = await world.api.get(`/triggers/scheduled/preview?${new URLSearchParams(query)}`, world.as('viewer'))
    return { status: reply.status, body: await reply.json() }
  }

  it('tells the next ten times on the clock of the zone', async () => {
    const { body } = await preview({ cron: '30 4 29 2 *', timezone: 'Europe/Berlin' })
    const { next_fires } = SchedulePreview.parse(body)
    expect(next_fires).toHaveLength(10)
    for (const at of next_fires) expect(at).toMatch(/-02-29T03:30:00\.000Z$/)
  })

  it('says where an expression is wrong, and which two readings there are', async () => {
    expect(await preview({ cron: '61 * * * *' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_schedule', line: 1, column: 1, errors: [{ pointer: '/cron', type: 'invalid_cron' }] },
    })
    expect(await preview({ cron: '0 0 1 * 1' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_schedule', errors: [{ pointer: '/days' }], next_fires: { and: {}, or: {} } },
    })
    expect(await preview({ cron: '0 0 * * *', timezone: 'Mars/Base' })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/timezone', type: 'invalid_timezone' }] },
    })
  })
})
