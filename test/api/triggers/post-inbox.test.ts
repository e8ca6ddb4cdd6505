import { afterEach, describe, expect, it } from 'vitest'
import { InboxItem } from '#api/schemas/inbox.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { alert, openInboxWorld } from '#test/support/inbox-world.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('postInbox')

const world = fileFixture(openInboxWorld)
afterEach(() => world.reset())

itRefuses('postInbox', () => ({ api: world.off }), [
  [501, 'not_configured', () => () => world.off.post('/triggers/inbox', { route: '/triggers/alert', body: {} })],
])

describe('POST /triggers/inbox', () => {
  it('puts a delivery in that is processed in its turn', async () => {
    const answer = await world.api.post('/triggers/inbox', {
      route: '/triggers/alert',
      source: 'generic',
      headers: { Authorization: 'Bearer x', 'X-Request-Id': 'r1' },
      body: alert('by-hand'),
    })
    expect(answer.status).toBe(202)
    const item = InboxItem.parse(await answer.json())
    expect(item).toMatchObject({ status: 'received', attempts: 0, headers: { 'x-request-id': 'r1' } })
    expect(await world.drain()).toBe(1)
    expect(await world.only()).toMatchObject({ id: item.id, status: 'started' })
    const audited = await world.database.db`select draft from audit_outbox where draft ->> 'action' = 'inbox.posted'`
    expect(audited).toMatchObject([{ draft: { category: 'trigger', subject: { id: item.id } } }])
  })

  it('refuses a route that takes no deliveries', async () => {
    const answer = await world.api.post('/triggers/inbox', { route: '/runs', body: {} })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/route' }] })
  })
})
