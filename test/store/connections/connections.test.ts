import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditDraft } from '#core/audit/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type ConnectionDraft, createConnectionStore } from '#store/connections/connections.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'

const database = testDatabase()
const store = fileFixture(() => createConnectionStore(database.db))

let mark: string

const audit = (action: string): AuditDraft => ({
  id: ids.next('audit'),
  ts: '2026-01-05T09:30:00.000Z',
  category: 'config',
  action,
  workspace_id: DEFAULT_WORKSPACE_ID,
  actor: { type: 'user', id: 'usr_ann', auth: 'jwt' },
  subject: { type: 'connection', id: mark },
  data: {},
})
const drafted = (name: string): ConnectionDraft => ({
  id: ids.next('connection'),
  account_id: 'acc_local',
  name,
  kind: 'http',
  auth: 'bearer',
  config: { base_url: 'https://api.example.com/' },
  workspaces: ['default'],
  fingerprint: '0123abcd',
  author: 'usr_ann',
})
const SECRET = { kid: 'aaaaaaaa', sealed: 'sealed once' }
const made = async (name: string) => {
  const row = await store.create(drafted(name), SECRET, { most: 100, audit: audit('connection.created') })
  if (row === undefined) throw new Error('was not made')
  return row
}
/** of a change, and of what its provider has yet to end */
const records = (action: string) => ({ audit: audit(action), dropped: audit('connection.authorization_dropped') })
const recorded = async (action: string) =>
  (
    await database.db`select from audit_outbox where draft ->> 'action' = ${action} and draft -> 'subject' ->> 'id' = ${mark}`
  ).length

beforeEach(async () => {
  await database.db`delete from connections`
  mark = ids.next('request')
})

describe('a connection', () => {
  test('is made with its record, read by id or name, and shows nothing sealed', async () => {
    const row = await made('billing')
    expect(row).toMatchObject({ name: 'billing', version: 1, status: 'untested', kid: 'aaaaaaaa', last_used_at: null })
    expect(JSON.stringify([row, await store.find('billing'), await store.list()])).not.toContain('sealed once')
    expect(await store.find(row.id)).toEqual(row)
    expect(await store.sealed(row.id, 1)).toBe('sealed once')
    expect(await recorded('connection.created')).toBe(1)
  })

  test('of a name that is taken, or one too many, is not made and leaves no record', async () => {
    await made('billing')
    const options = { most: 100, audit: audit('connection.created') }
    expect(await store.create(drafted('billing'), SECRET, options)).toBeUndefined()
    expect(await store.create(drafted('other'), SECRET, { ...options, most: 1 })).toBeUndefined()
    expect(await recorded('connection.created')).toBe(1)
  })

  test('that two change at once takes one change', async () => {
    const before = await made('billing')
    const change = {
      ...before,
      keeps_authorization: false,
      version: 2,
      author: 'usr_bob',
      secret: { kid: 'bbbbbbbb', sealed: 'sealed again' },
    }
    const changes = await Promise.all([1, 2].map(() => store.change(before, change, records('connection.updated'))))
    expect(changes.filter((row) => row !== undefined)).toHaveLength(1)
    expect(await store.sealed(before.id, 2)).toBe('sealed again')
    expect(await store.sealed(before.id, 1)).toBeUndefined()
    expect(await recorded('connection.updated')).toBe(1)
  })

  test('is untested again when its version changes, and keeps its test with other grants', async () => {
    const before = await made('billing')
    const last_test = { at: '2026-01-05T09:30:00.000Z', ok: true, latency_ms: 3, detail: 'answers 200' }
    await store.tested(before, { status: 'healthy', last_test })
    const granted = await store.change(
      before,
      { ...before, workspaces: ['*'], secret: undefined, keeps_authorization: false },
      records('connection.updated'),
    )
    expect(granted).toMatchObject({ status: 'healthy', last_test, version: 1, kid: 'aaaaaaaa' })
    await store.tested({ ...before, version: 7 }, { status: 'failed', last_test })
    const changed = await store.change(
      { ...before, workspaces: ['*'] },
      { ...before, version: 2, secret: SECRET, keeps_authorization: false },
      records('connection.updated'),
    )
    expect(changed).toMatchObject({ status: 'untested', last_test: null, version: 2 })
  })

  test('is of the one account there is, and has no name that reads like an id', async () => {
    const options = { most: 100, audit: audit('connection.created') }
    for (const changes of [{ account_id: 'acc_other' }, { name: 'conn_0' }])
      await expect(store.create({ ...drafted('billing'), ...changes }, SECRET, options)).rejects.toMatchObject({
        code: '23514',
      })
  })

  test('goes with its secret, once', async () => {
    const before = await made('billing')
    expect(await store.remove(before, records('connection.deleted'))).toBe(true)
    expect(await store.remove(before, records('connection.deleted'))).toBe(false)
    expect(await database.db`select from connection_secrets`).toHaveLength(0)
    expect(await recorded('connection.deleted')).toBe(1)
  })
})

test('a use is recorded once for a step and a version', async () => {
  const { id } = await made('billing')
  const run = runDraft()
  await createRunStore(database.db).admit([run])
  const use = { connection_id: id, version: 1, run_id: run.id, step_id: 'call' }
  for (const version of [1, 1, 2]) await store.used({ ...use, version }, audit('connection.used'))
  expect(await database.db`select version, step_id from connection_uses order by version`).toEqual([
    { version: 1, step_id: 'call' },
    { version: 2, step_id: 'call' },
  ])
  expect(await recorded('connection.used')).toBe(2)
  expect((await store.find(id))?.last_used_at).toMatch(/Z$/)
})

test('uses are counted by UTC day, of one workspace or of all, for 30 days', async () => {
  const { id } = await made('billing')
  const other = await made('other')
  const runs = createRunStore(database.db)
  const [one, two] = [runDraft(), runDraft()]
  await runs.admit([one, two])
  const use = (run_id: string, step_id: string, age: string, connection_id = id) => database.db`
    insert into connection_uses (connection_id, version, run_id, step_id, used_at)
    values (${connection_id}, 1, ${run_id}, ${step_id},
      date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - ${age}::interval)`
  await use(one.id, 'a', '0 days')
  await use(two.id, 'a', '0 days')
  await use(one.id, 'b', '29 days')
  await use(one.id, 'c', '29 days 1 second')
  await use(one.id, 'a', '0 days', other.id)
  const day = (age: number) => new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10)
  const all = [
    { day: day(29), uses: 1 },
    { day: day(0), uses: 2 },
  ]
  expect(await store.usesPerDay(id, undefined)).toEqual(all)
  expect(await store.usesPerDay(id, DEFAULT_WORKSPACE_ID)).toEqual(all)
  expect(await store.usesPerDay(id, 'ws_00000000000000000000000009')).toEqual([])
})

test('secrets of another key are found and resealed unless they have changed', async () => {
  const rows = [await made('a'), await made('b'), await made('c')].sort((a, b) => (a.id < b.id ? -1 : 1))
  const [first] = await store.sealedByOthers('bbbbbbbb')
  expect(first).toMatchObject({ id: rows[0]?.id, version: 1, sealed: 'sealed once' })
  const fresh = { kid: 'bbbbbbbb', sealed: 'sealed again' }
  const reseal = async (sealed: string) =>
    await store.reseal({ id: first?.id ?? '', sealed }, fresh, audit('connection.resealed'))
  expect([await reseal('sealed before'), await reseal('sealed once')]).toEqual([false, true])
  expect((await store.sealedByOthers('bbbbbbbb')).map(({ id }) => id)).toEqual(rows.slice(1).map(({ id }) => id))
})
