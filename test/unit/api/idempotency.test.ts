import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { ApiEnv } from '#api/context.ts'
import { withIdempotency } from '#api/middleware/idempotency.ts'

test('an answer without a body is repeated without one', async () => {
  const first = { kind: 'replay', status: 204, response: { body: '', headers: {} } }
  const app = new Hono<ApiEnv>()
  app.use(async (c, next) => {
    c.set('actor', { id: 'usr_1' } as never)
    c.set('ctx', { workspace_id: 'ws_1', ids: { next: () => 'turn_1' } } as never)
    c.set('deps', { bodyDigest: () => 'digest', idempotency: { begin: async () => first } } as never)
    await next()
  })
  app.post(
    '/notes',
    withIdempotency('addNote', () => {
      throw new Error('it is done already')
    }),
  )
  const answer = await app.request('/notes', { method: 'POST', headers: { 'idempotency-key': 'key-1' } })
  expect([answer.status, answer.headers.get('idempotent-replayed'), await answer.text()]).toEqual([204, 'true', ''])
})
