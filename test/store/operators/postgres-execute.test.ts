import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { postgresExecute } from '#activities/operators/postgres-execute.ts'
import type { JsonObject } from '#core/json.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { createScratch, type Scratch } from './create-scratch.ts'

let db: Scratch
beforeAll(async () => {
  db = await createScratch(inject('postgres_url'))
  await db.sql`create table item (id int primary key, name text)`
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.sql`truncate item`
  await db.sql`insert into item select i, 'item' from generate_series(1, 10) i`
})

const context = (signal = new AbortController().signal) => operatorContext({ connections: { main: db.url }, signal })
const parse = (sql: string, rest: JsonObject = {}) => postgresExecute.parse({ connection: 'main', sql, ...rest })
const run = async (sql: string, rest: JsonObject = {}, signal?: AbortSignal) =>
  (await postgresExecute.execute(context(signal), parse(sql, rest))).outputs
const simulate = (sql: string, rest: JsonObject = {}) => postgresExecute.simulate?.(context(), parse(sql, rest))
const count = async () => (await db.sql`select count(*)::int as n from item`)[0]?.n

/** Holds a lock on `item` from another session until released. */
async function holdLock(mode: string): Promise<() => Promise<void>> {
  const session = await db.sql.reserve()
  await session.unsafe('begin')
  await session.unsafe(`lock table item in ${mode} mode`)
  return async () => {
    await session.unsafe('rollback')
    session.release()
  }
}

describe('executing', () => {
  it('commits and answers rows and their count', async () => {
    expect(await run('delete from item where id <= $1', { params: [4] })).toEqual({
      rows: [],
      row_count: 4,
      truncated: false,
    })
    expect(await run('insert into item values (50, $1) returning id, name', { params: ['x'] })).toMatchObject({
      rows: [{ id: 50, name: 'x' }],
      row_count: 1,
    })
    expect(await count()).toBe(7)
  })

  it.each([
    'VACUUM (analyze) item',
    'create index concurrently item_name on item (name)',
    'reindex table concurrently item',
  ])('%s runs outside of a transaction when told so', async (sql) => {
    await expect(run(sql)).rejects.toMatchObject({ code: 'sql_failed', unknown_outcome: false })
    await run(sql, { transaction: false })
  })

  it('one statement only, and none that ends the transaction', async () => {
    for (const sql of [
      'delete from item; delete from item',
      'delete from item; commit',
      'commit',
      'rollback',
      'begin',
      'set role x',
      '',
    ]) {
      await expect(async () => run(sql)).rejects.toThrow()
      await expect(async () => run(sql, { transaction: false })).rejects.toThrow()
    }
    await expect(run('do $$ begin delete from item; commit; end $$')).rejects.toMatchObject({ code: 'sql_failed' })
    expect(await count()).toBe(10)
  })

  it('gives up on a lock after lock_timeout and may try again', async () => {
    const release = await holdLock('access exclusive')
    await expect(run('delete from item', { lock_timeout: '50ms' })).rejects.toMatchObject({
      code: 'lock_timeout',
      retryable: true,
      unknown_outcome: false,
    })
    await release()
    expect(await count()).toBe(10)
  })

  it.each([true, false])(
    'a signal cancels on the server, and the outcome is known (transaction %s)',
    async (transaction) => {
      const controller = new AbortController()
      const work = run('delete from item where pg_sleep(60) is null /* stop me */', { transaction }, controller.signal)
      const running = async () =>
        (
          await db.sql`select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%stop me%' and pid <> pg_backend_pid()`
        )[0]?.n
      await expect.poll(running).toBe(1)
      controller.abort()
      await expect(work).rejects.toMatchObject({ code: 'aborted', unknown_outcome: false })
      expect(await count()).toBe(10)
    },
  )

  it.each([
    [true, { code: 'unreachable', retryable: true, unknown_outcome: false }],
    [false, { code: 'connection_lost', retryable: false, unknown_outcome: true }],
  ])(
    'a session that the server ends is known not to have acted only in a transaction (%s)',
    async (transaction, expected) => {
      const work = run('delete from item where pg_sleep(60) is null /* end me */', { transaction })
      const end = async () =>
        (
          await db.sql`select count(pg_terminate_backend(pid))::int as n from pg_stat_activity where state = 'active' and query like '%end me%' and pid <> pg_backend_pid()`
        )[0]?.n
      const failed = expect(work).rejects.toMatchObject(expected)
      await expect.poll(end).toBeGreaterThan(0)
      await failed
      expect(await count()).toBe(10)
    },
  )
})

describe('simulating', () => {
  it('reports what would change and which locks it takes, and changes nothing', async () => {
    expect(await simulate('update item set name = $1 where id < 4', { params: ['y'] })).toMatchObject({
      ok: true,
      details: { row_count: 3, locks: expect.arrayContaining([{ relation: 'item', mode: 'RowExclusiveLock' }]) },
    })
    expect(await simulate('alter table item add column extra int')).toMatchObject({
      ok: true,
      details: { locks: expect.arrayContaining([{ relation: 'item', mode: 'AccessExclusiveLock' }]) },
    })
    const columns = await db.sql`select count(*)::int as n from information_schema.columns where table_name = 'item'`
    expect(columns[0]).toEqual({ n: 2 })
    expect((await db.sql`select 1 from item where name = 'y'`).length).toBe(0)
  })

  it('fails where the statement would fail', async () => {
    expect(await simulate('delete from nowhere')).toMatchObject({
      ok: false,
      details: { code: 'sql_failed', sqlstate: '42P01' },
    })
    const release = await holdLock('share')
    const blocked = await simulate('delete from item', { lock_timeout: '50ms' })
    await release()
    expect(blocked).toMatchObject({ ok: false, details: { code: 'lock_timeout' } })
  })

  it('of a statement without a transaction names its lock and who is in the way', async () => {
    expect(await simulate('vacuum full item', { transaction: false })).toMatchObject({
      ok: true,
      details: { lock_mode: 'AccessExclusiveLock', holders: [] },
    })
    const release = await holdLock('row exclusive')
    const [full, plain] = [
      await simulate('vacuum full item', { transaction: false }),
      await simulate('vacuum item', { transaction: false }),
    ]
    await release()
    expect(full).toMatchObject({
      ok: false,
      details: { holders: [{ relation: 'item', mode: 'RowExclusiveLock', blocks: true }] },
    })
    expect(plain).toMatchObject({
      ok: true,
      details: { lock_mode: 'ShareUpdateExclusiveLock', holders: [{ blocks: false }] },
    })
  })
})

describe('governance facts', () => {
  it('always asks, before the first time and before a repetition', () => {
    expect(postgresExecute).toMatchObject({
      requires_approval: true,
      action_type: 'sql.write',
      capabilities: ['sql.write'],
      risk: 'high',
    })
    expect(postgresExecute.replay(parse('delete from item'))).toBe('ask')
  })

  it('shows the statement, its values, the tables it names and where that is', () => {
    const target = { kind: 'postgres', host: 'db.test:5432', database: 'shop', user: 'ops' }
    const way = { idempotency_key: '', connection: { id: 'main', kind: 'postgres', url: '', target } }
    const params = ["it's", { b: 1, a: null }]
    const input = parse('delete from public.item using other where id = $1', { params })
    expect(postgresExecute.describe(input, way)).toEqual({
      summary: 'DELETE public.item, other on main (postgres db.test:5432, database shop, as ops)',
      targets: { kind: 'table', ids: ['public.item', 'other'] },
      command: `delete from public.item using other where id = $1\n-- $1 = "it's"\n-- $2 = {"a":null,"b":1}`,
    })
    expect(postgresExecute.describe(parse('select do_it()'), way).targets).toEqual({
      kind: 'connection',
      ids: ['main'],
    })
  })

  it('refuses what the protocol would cut off', () => {
    expect(() => parse('select 1\u0000; drop table item')).toThrow('NUL')
    expect(() => parse('select $1', { params: ['a\u0000b'] })).toThrow('NUL')
  })
})
