import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { InboxItem } from '#api/schemas/inbox.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { alert, openInboxWorld } from '#test/support/inbox-world.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('listInbox')
itRefuses('listInbox', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

const world = fileFixture(openInboxWorld)
afterEach(() => world.reset())

itRefuses('listInbox', () => ({ api: world.off }), [
  [501, 'not_configured', () => () => world.off.get('/triggers/inbox')],
])

describe('GET /triggers/inbox', () => {
  it('pages, newest first, and filters', async () => {
    for (const service of ['one', 'two', 'three'])
      await world.api.post('/triggers/alert?source=generic', alert(`page-${service}`))
    await world.api.post('/triggers/alert', { what: 1 })
    const first = await world.api.get('/triggers/inbox?limit=3')
    expect(first.headers.get('x-total-count')).toBe('4')
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? expect.fail('no next page')
    const items = z.array(InboxItem).parse(await first.json())
    const rest = z.array(InboxItem).parse(await (await world.api.get(next)).json())
    expect([...items, ...rest].map((item) => item.id)).toEqual((await world.list()).map((item) => item.id))
    expect(rest).toHaveLength(1)
    expect(await world.list('?status=failed')).toHaveLength(1)
    expect(await world.list('?status=failed,started')).toHaveLength(4)
    expect(await world.list('?source=generic')).toHaveLength(3)
    expect(await world.list('?route=/triggers/pattern')).toHaveLength(0)
    const [newest, oldest] = [items[0], rest[0]]
    expect(await world.list(`?since=${newest?.received_at}`)).not.toContainEqual(oldest)
    expect(await world.list('?until=2020-01-01T00:00:00Z')).toHaveLength(0)
    expect((await world.api.get('/triggers/inbox?status=lost')).status).toBe(422)
  })

  it('shows a body only when it is asked for, and no secret in it', async () => {
    await world.api.post('/triggers/alert', alert('shown', { labels: { team: 'ops', api_token: 'hunter2' } }), {
      authorization: 'Bearer hunter2',
    })
    expect(await world.only()).not.toHaveProperty('body')
    const text = await (await world.api.get('/triggers/inbox?body=1')).text()
    expect(text).not.toContain('hunter2')
    expect(JSON.parse(text)).toMatchObject([
      { body: { service: 'shown', labels: { team: 'ops', api_token: '<hidden>' } } },
    ])
  })
})
