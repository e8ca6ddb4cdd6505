import { describe, expect, it } from 'vitest'
import { EventSnapshot } from '#core/run/event-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, logEvents } from '#test/support/test-runs.ts'

itIsGuarded('listEvents')

const database = testDatabase()
const api = testApi(database)

describe('GET /runs/{id}/events', () => {
  it('answers a page in order and says whether there is more', async () => {
    const id = await admitTestRun(api)
    await api.runs.appendEvents(id, logEvents(4))
    const first = EventSnapshot.parse(await (await api.get(`/runs/${id}/events?limit=3`)).json())
    expect(first).toMatchObject({ last_seq: 3, terminal: false, has_more: true })
    const rest = EventSnapshot.parse(await (await api.get(`/runs/${id}/events?after_seq=3`)).json())
    expect(rest.events.map((event) => event.seq)).toEqual([4, 5])
    expect(rest).toMatchObject({ last_seq: 5, has_more: false })
  })

  it.each(['-1', '1.5', 'x', '99999999999999999999'])('refuses after_seq=%s', async (afterSeq) => {
    const id = await admitTestRun(api)
    expect((await api.get(`/runs/${id}/events?after_seq=${afterSeq}`)).status).toBe(422)
  })
})
