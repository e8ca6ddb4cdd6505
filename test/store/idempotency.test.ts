import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { AuditDraft } from '#core/audit/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createInboxStore } from '#store/alerts/inbox.ts'
import { asJson, type Statements } from '#store/db.ts'
import { createIdempotencyStore } from '#store/idempotency.ts'
import { createHolder, createSessionLocks } from '#store/sql/session-locks.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'

const ANSWER = { status: 202, response: { body: '{}', headers: {} } }
let used = 0

const database = testDatabase()
const locks = fileFixture(() => createSessionLocks(database.url, 'test-locks'))
const keys = fileFixture(() => createIdempotencyStore(database.db, createHolder(locks, randomUUID)))

const request = (changes: { body_hash?: string } = {}) => {
  used += 1
  return { workspace_id: DEFAULT_WORKSPACE_ID, key: `key-${used}`, route: 'r', body_hash: 'hash', ...changes }
}
const age = (key: string, by: string) => database.db`
  update idempotency_keys set created_at = created_at - ${by}::interval where key = ${key}`
const idOf = (n: number) => `dlv_${String(n).padStart(26, '0')}`
const fresh = (n: number, turn = n) => ({
  kind: 'fresh',
  attempt: { id: idOf(n), turn: idOf(turn), again: n !== turn },
})

const waiting = async () => {
  const rows = await database.db`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%idempotency_keys%'`
  return rows.length
}

/** The audit record of an act, in the statement of which it marks its key. */
const draftOf = (id: string, turn: string): AuditDraft => ({
  id: `aud_${id}`,
  ts: '2026-01-01T00:00:00.000Z',
  category: 'admin',
  action: 'thing.made',
  workspace_id: DEFAULT_WORKSPACE_ID,
  actor: { type: 'user', id: 'usr_local', auth: 'none' },
  subject: { type: 'thing', id: 'thing-1' },
  data: { name: 'one' },
  attempt: { id, turn },
})
const DONE = { action: 'thing.made', subject: { type: 'thing', id: 'thing-1' }, data: { name: 'one' } }
const make = (id: string, turn: string, db: Statements = database.db) =>
  db`select append_audit(${database.db.json(asJson([draftOf(id, turn)]))}::jsonb)`

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
    expect(await keys.begin(first, idOf(1))).toEqual(fresh(1))
    expect(await keys.begin(first, idOf(2))).toEqual({ kind: 'busy' })
    expect(await keys.begin({ ...first, body_hash: 'other' }, idOf(2))).toEqual({ kind: 'mismatch' })
    expect(await keys.finish(first, idOf(1), ANSWER)).toBe(true)
    expect(await keys.begin(first, idOf(2))).toEqual({ kind: 'replay', ...ANSWER })
  })

  test('that ended without an answer goes on under the same id at once, so that what was done is found', async () => {
    const lost = request()
    await keys.begin(lost, idOf(3))
    await keys.handBack(lost, idOf(3))
    expect(await keys.begin(lost, idOf(4))).toEqual(fresh(3, 4))
    expect(await keys.begin(lost, idOf(5))).toEqual({ kind: 'busy' })
  })

  test('that ended without an answer is another one with another body, and after a day', async () => {
    const lost = request()
    await keys.begin(lost, idOf(10))
    await keys.handBack(lost, idOf(10))
    const other = { ...lost, body_hash: 'other' }
    expect(await keys.begin(other, idOf(11))).toEqual(fresh(11))
    await age(lost.key, '25 hours')
    expect(await keys.begin(other, idOf(12))).toEqual(fresh(12))
  })

  test('that did something is not another one with another body', async () => {
    const lost = request()
    await keys.begin(lost, idOf(13))
    await make(idOf(13), idOf(13))
    await keys.release(lost, idOf(13))
    expect(await keys.begin({ ...lost, body_hash: 'other' }, idOf(14))).toEqual({ kind: 'mismatch' })
    expect(await keys.begin(lost, idOf(14))).toMatchObject({ kind: 'fresh', attempt: { id: idOf(13), done: DONE } })
  })

  test('marks its key in the transaction of what it does, and the record knows nothing of it', async () => {
    const first = request()
    await keys.begin(first, idOf(15))
    await make(idOf(15), idOf(15))
    const [row] = await database.db`select done from idempotency_keys where delivery_id = ${idOf(15)}`
    expect(row).toEqual({ done: DONE })
    const [record] = await database.db`select draft from audit_outbox where draft ->> 'id' = ${`aud_${idOf(15)}`}`
    const { attempt: _attempt, ...draft } = draftOf('', '')
    expect(record?.['draft']).toEqual({ ...draft, id: `aud_${idOf(15)}` })
  })

  test('that another one has taken over can commit nothing', async () => {
    const slow = request()
    await keys.begin(slow, idOf(16))
    await keys.handBack(slow, idOf(16))
    await keys.begin(slow, idOf(17))
    await expect(make(idOf(16), idOf(16))).rejects.toMatchObject({ code: 'SV001' })
    expect(await keys.finish(slow, idOf(16), ANSWER)).toBe(false)
  })

  test('waits for an act of an earlier one that is about to be committed, and finds it', async () => {
    const slow = request()
    await keys.begin(slow, idOf(18))
    await keys.handBack(slow, idOf(18))
    const state = await database.db.begin(async (act) => {
      await make(idOf(18), idOf(18), act)
      const begun = keys.begin(slow, idOf(19))
      await expect.poll(waiting).toBe(1)
      return { begun }
    })
    expect(await state.begun).toMatchObject({ kind: 'fresh', attempt: { again: true, done: DONE } })
  })

  test('whose process has died is taken over at once, and one whose process lives is not', async () => {
    const dying = createSessionLocks(database.url, 'test-dying')
    const theirs = createIdempotencyStore(database.db, createHolder(dying, randomUUID))
    const lost = request()
    await theirs.begin(lost, idOf(30))
    expect(await keys.begin(lost, idOf(31))).toEqual({ kind: 'busy' })
    await dying.close()
    expect(await keys.begin(lost, idOf(31))).toEqual(fresh(30, 31))
  })

  test('is begun by a process that has hung for so long that the server has ended its locks', async () => {
    await keys.begin(request(), idOf(32))
    const until = performance.now() + 3_500
    while (performance.now() < until);
    const [one, two] = [request(), request()]
    expect(await Promise.all([keys.begin(one, idOf(33)), keys.begin(two, idOf(36))])).toEqual([fresh(33), fresh(36)])
  })

  test('is stuck after ten minutes, although its process lives', async () => {
    const stuck = request()
    await keys.begin(stuck, idOf(34))
    await age(stuck.key, '9 minutes')
    expect(await keys.begin(stuck, idOf(35))).toEqual({ kind: 'busy' })
    await age(stuck.key, '2 minutes')
    expect(await keys.begin(stuck, idOf(35))).toEqual(fresh(34, 35))
  })

  test('that the inbox has is not begun again, however long ago, and not given back while it waits there', async () => {
    const kept = request()
    await keys.begin(kept, idOf(8))
    await keep(idOf(8))
    expect(await keys.begin(kept, idOf(9))).toEqual({ kind: 'kept', delivery_id: idOf(8) })
    await age(kept.key, '3 minutes')
    await keys.release(kept, idOf(8))
    expect(await keys.begin(kept, idOf(9))).toEqual({ kind: 'kept', delivery_id: idOf(8) })
    await database.db`update inbox_items set status = 'failed' where id = ${idOf(8)}`
    await keys.release(kept, idOf(8))
    expect(await keys.begin(kept, idOf(9))).toEqual(fresh(9))
  })

  test('of many at once is fresh for one', async () => {
    const same = request()
    const states = await Promise.all(Array.from({ length: 8 }, (_, n) => keys.begin(same, idOf(20 + n))))
    expect(states.map((state) => state.kind).sort()).toEqual([...Array(7).fill('busy'), 'fresh'])
  })
})
