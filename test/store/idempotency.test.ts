import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIdempotencyStore, type IdempotencyStore } from '#store/idempotency.ts'
import { createInboxStore } from '#store/inbox.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const ANSWER = { status: 202, response: { body: '{}', headers: {} } }
let database: TestDatabase
let keys: IdempotencyStore
let used = 0

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  keys = createIdempotencyStore(database.db)
})
afterAll(() => database?.drop())

const request = (changes: { body_hash?: string } = {}) => {
  used += 1
  return { workspace_id: DEFAULT_WORKSPACE_ID, key: `key-${used}`, route: 'r', body_hash: 'hash', ...changes }
}
const age = (key: string, by: string) => database.db`
  update idempotency_keys set created_at = created_at - ${by}::interval where key = ${key}`
const idOf = (n: number) => `dlv_${String(n).padStart(26, '0')}`

async function keep(id: string): Promise<void> {
  await createInboxStore(database.db, database.tenants).add(
    {
      id,
      workspace_id: DEFAULT_WORKSPACE_ID,
      route: '/triggers/alert',
      source: null,
      headers: {},
      body: '{}',
      facts: {},
      sealed: false,
      body_digest: 'sha256:0',
      actor: {
        type: 'user',
        id: 'usr_local',
        display: 'local',
        account_id: 'acc_local',
        roles: ['owner'],
        approval_roles: [],
        scopes: [],
        workspaces: '*',
        auth: 'none',
      },
      channel: 'api',
    },
    false,
  )
}

describe('a keyed request', () => {
  test('is fresh once, busy until it is answered, and then answered the same', async () => {
    const first = request()
    expect(await keys.begin(first, idOf(1))).toEqual({ kind: 'fresh', delivery_id: idOf(1), again: false })
    expect(await keys.begin(first, idOf(2))).toEqual({ kind: 'busy' })
    expect(await keys.begin({ ...first, body_hash: 'other' }, idOf(2))).toEqual({ kind: 'mismatch' })
    await keys.finish(first, ANSWER)
    expect(await keys.begin(first, idOf(2))).toEqual({ kind: 'replay', ...ANSWER })
  })

  test('whose attempt was lost goes on under the same id, so that what was done is found', async () => {
    const lost = request()
    await keys.begin(lost, idOf(3))
    await age(lost.key, '3 minutes')
    expect(await keys.begin(lost, idOf(4))).toEqual({ kind: 'fresh', delivery_id: idOf(3), again: true })
    expect(await keys.begin(lost, idOf(4))).toEqual({ kind: 'busy' })
  })

  test('is another one with another body, and after a day', async () => {
    const lost = request()
    await keys.begin(lost, idOf(5))
    await age(lost.key, '3 minutes')
    const other = { ...lost, body_hash: 'other' }
    expect(await keys.begin(other, idOf(6))).toEqual({ kind: 'fresh', delivery_id: idOf(6), again: false })
    await age(lost.key, '25 hours')
    expect(await keys.begin(other, idOf(7))).toEqual({ kind: 'fresh', delivery_id: idOf(7), again: false })
  })

  test('that the inbox has is not begun again, however long ago, and not given back while it waits there', async () => {
    const kept = request()
    await keys.begin(kept, idOf(8))
    await keep(idOf(8))
    expect(await keys.begin(kept, idOf(9))).toEqual({ kind: 'kept', delivery_id: idOf(8) })
    await age(kept.key, '3 minutes')
    await keys.release(kept)
    expect(await keys.begin(kept, idOf(9))).toEqual({ kind: 'kept', delivery_id: idOf(8) })
    await database.db`update inbox_items set status = 'failed' where id = ${idOf(8)}`
    await keys.release(kept)
    expect(await keys.begin(kept, idOf(9))).toEqual({ kind: 'fresh', delivery_id: idOf(9), again: false })
  })

  test('of many at once is fresh for one', async () => {
    const same = request()
    const states = await Promise.all(Array.from({ length: 8 }, (_, n) => keys.begin(same, idOf(20 + n))))
    expect(states.map((state) => state.kind).sort()).toEqual([...Array(7).fill('busy'), 'fresh'])
  })
})
