import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresExecute } from '#activities/operators/postgres/execute.ts'
import type { JsonObject } from '#core/json/json.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { createScratch } from './create-scratch.ts'

let ITEM: number
beforeAll(() => postgresExecute.ready?.())
const db = fileFixture(createScratch)
beforeAll(async () => {
  await db.sql`create table item (id int primary key, name text)`
  ITEM = Number((await db.sql`select 'item'::regclass::oid as oid`)[0]?.['oid'])
})
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
      warnings: [],
    })
    expect(await run('insert into item values (50, $1) returning id, name', { params: ['x'] })).toMatchObject({
      rows: [{ id: 50, name: 'x' }],
      row_count: 1,
    })
    expect(await count()).toBe(7)
  })

  it.each([true, false])('does nothing where nothing may begin any more (transaction: %s)', async (transaction) => {
    const stopped = new Error('stopped')
    const ctx = { ...context(), beforeSending: () => Promise.reject(stopped) }
    await expect(postgresExecute.execute(ctx, parse('delete from item', { transaction }))).rejects.toBe(stopped)
    expect(await count()).toBe(10)
  })

  it.each([
    'VACUUM (analyze) item',
    'create index concurrently item_name on item (name)',
    'reindex table concurrently item',
  ])('%s runs outside of a transaction when told so', async (sql) => {
    expect(() => parse(sql)).toThrow('transaction: false')
    await run(sql, { transaction: false })
  })

  it('brings what the server warns of, and no notice', async () => {
    const role = `outsider_${process.pid}`
    await db.sql.unsafe(`create role ${role} login password 'x'`)
    const url = new URL(db.url)
    url.username = role
    url.password = 'x'
    const outsider = operatorContext({ connections: { main: url.href } })
    const { outputs } = await postgresExecute.execute(outsider, parse('vacuum item', { transaction: false }))
    expect(outputs['warnings']).toEqual([expect.stringContaining('item')])
    await db.sql.unsafe(`drop role ${role}`)
    expect((await run('drop table if exists not_there'))['warnings']).toEqual([])
  })

  it('sends nothing beside a session of an earlier attempt, no matter what that calls itself, and is told apart by its step', async () => {
    const rename = "do $$ begin perform set_config('application_name', 'nightly', false); perform pg_sleep(60); end $$"
    const gone = new AbortController()
    const earlier = run(rename, { transaction: false }, gone.signal).catch((error: unknown) => error)
    const sleeping = async () =>
      (
        await db.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
      )[0]?.pid
    await expect.poll(sleeping).toBeDefined()
    const pid = await sleeping()
    await expect(run('vacuum item', { transaction: false })).rejects.toMatchObject({
      ...{ code: 'still_running', retryable: true, unknown_outcome: false, details: { pid } },
      message: expect.stringContaining(`process ${pid}`),
    })
    const other = { ...context(), step_id: 'another' }
    await postgresExecute.execute(other, parse('vacuum item', { transaction: false }))
    gone.abort()
    await earlier
    await run('vacuum item', { transaction: false })
  })

  it('is named after its run, no matter what the url calls it', async () => {
    const url = `${db.url}${db.url.includes('?') ? '&' : '?'}application_name=shared`
    const ctx = operatorContext({ connections: { main: url } })
    const { outputs } = await postgresExecute.execute(ctx, parse("select current_setting('application_name') as name"))
    expect(outputs['rows']).toEqual([{ name: `svc ${ctx.run_id}` }])
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
      message: expect.stringMatching(
        /lock timeout; public\.item is held now by process \d+ \(.*, its transaction open since 2.*\) with AccessExclusiveLock$/,
      ),
    })
    await expect(run('vacuum item', { transaction: false, lock_timeout: '50ms' })).rejects.toThrow(
      /public\.item is held now by process/,
    )
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
  it('plans what can be planned: rows, cost, tables, lock, and changes nothing', async () => {
    await db.sql`analyze item`
    expect(await simulate('update item set name = $1', { params: ['y'] })).toEqual({
      ok: true,
      summary: 'UPDATE of about 10 rows, planned and not run; takes RowExclusiveLock on item, 0 locks in its way',
      details: {
        command: 'UPDATE',
        lock_mode: 'RowExclusiveLock',
        relations: [{ relation: 'public.item', kind: 'table', rows: 10, bytes: 8192, triggers: [], followed_by: [] }],
        holders: [],
        estimated_rows: 10,
        estimated_cost: expect.any(Number),
      },
    })
    expect((await db.sql`select 1 from item where name = 'y'`).length).toBe(0)
  })

  it('fails where the server says that the statement would', async () => {
    expect(await simulate('delete from nowhere')).toMatchObject({
      ok: false,
      details: { code: 'sql_failed', sqlstate: '42P01' },
    })
    expect(await simulate('delete from item', { connection: 'main' })).toMatchObject({ ok: true })
  })

  it('says who is in the way, and does not wait for them', async () => {
    const release = await holdLock('share')
    const [blocked, free] = [await simulate('delete from item'), await simulate('select * from item')]
    await release()
    expect(blocked).toMatchObject({
      ok: false,
      summary: 'DELETE would wait; takes RowExclusiveLock on item, 1 locks in its way',
      details: { holders: [{ relation: 'public.item', mode: 'ShareLock', blocks: true }] },
    })
    expect(free).toMatchObject({ ok: true })
  })

  it.each([
    ['vacuum full item', 'AccessExclusiveLock'],
    ['vacuum item', 'ShareUpdateExclusiveLock'],
    ['alter table item add column extra int', 'AccessExclusiveLock'],
    ['do $$ begin delete from item; end $$', null],
    ['call move_all()', null],
    ['create index concurrently i on item (name)', 'ShareUpdateExclusiveLock'],
  ])('does not try what cannot be planned, and says so: %s', async (sql, lock_mode) => {
    expect(await simulate(sql, { transaction: false })).toMatchObject({
      ok: false,
      not_tried: true,
      summary: expect.stringMatching(/^not tried: /),
      details: { lock_mode },
    })
  })

  it('leaves the planner out of it where functions of the database could run in it', async () => {
    await db.sql`create function lie(int) returns int immutable language plpgsql as $$ begin perform pg_advisory_lock(5); return $1; end $$`
    await db.sql`create function wrap(int) returns int language sql as 'select lie(1) + $1'`
    await db.sql`create table lying (id int default lie(1), n int check (n <> lie(2)), m int)`
    await db.sql`create index on lying (lie(m))`
    await db.sql`create domain unlike as int check (value <> lie(3))`
    await db.sql`create table stock (n unlike)`
    await db.sql`create table counted (a int, b int)`
    await db.sql`create statistics on (a + lie(4)), b from counted`
    for (const sql of [
      'delete from item where id = lie(1)',
      'insert into lying default values',
      'update lying set m = 1',
      'insert into stock values (5)',
      'delete from counted where a > 3 and b > 1',
      'select wrap(1)',
    ])
      expect(await simulate(sql)).toMatchObject({
        ok: false,
        not_tried: true,
        summary: expect.stringMatching(/^not tried: planning may run public\.(lie|wrap)/),
      })
    // the planner runs what is stable as well
    expect(await simulate('delete from item where id = txid_current()')).toMatchObject({ not_tried: true })
  })

  it('names what no plan shows: triggers, foreign keys that follow, functions that act', async () => {
    await db.sql`create table parent (id serial primary key)`
    await db.sql`create table child (id int references parent on delete cascade)`
    await db.sql`create trigger same before update on parent for each row execute function suppress_redundant_updates_trigger()`
    expect(await simulate('delete from parent')).toMatchObject({
      ok: true,
      details: { relations: [{ relation: 'public.parent', triggers: ['same'], followed_by: ['public.child'] }] },
    })
    expect(await simulate('insert into parent default values')).toMatchObject({ ok: true })
    expect(await simulate("insert into parent values (length(pg_notify('n', 'x')::text))")).toMatchObject({
      not_tried: true,
      summary: expect.stringContaining('what pg_catalog.pg_notify does cannot be known without calling it'),
    })
  })

  it('has no effect, no matter what the statement calls', async () => {
    await db.sql`create sequence ticket`
    const victim = await db.sql.reserve()
    const [{ pid } = { pid: 0 }] = await victim<{ pid: number }[]>`select pg_backend_pid() as pid`
    const received: string[] = []
    const listening = await db.sql.listen('n', (text) => received.push(text))
    for (const sql of [
      "select setval('ticket', 41)",
      `select pg_terminate_backend(${pid})`,
      "do $$ begin perform setval('ticket', 42); end $$",
      "select pg_notify('n', 'x')",
      "notify n, 'x'",
      'select pg_advisory_lock(1)',
      'select lo_create(4711)',
      "with gone as (delete from item returning id) select setval('ticket', id) from gone",
      "select query_to_xml('delete from item', true, true, '')",
      "insert into item select nextval('ticket'), 'x'",
      'explain analyze delete from item',
      'truncate item',
    ])
      await simulate(sql)
    expect((await victim`select 1 as alive`)[0]).toEqual({ alive: 1 })
    victim.release()
    await listening.unlisten()
    expect(received).toEqual([])
    expect(await count()).toBe(10)
    const [left] =
      await db.sql`select (select count(*)::int from pg_largeobject_metadata) as large, (select last_value from pg_sequences where sequencename = 'ticket') as last,
      (select count(*)::int from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())) as advisory`
    expect(left).toEqual({ large: 0, last: null, advisory: 0 })
  })
})

describe('the lock that a statement is said to take', () => {
  it.each([
    'select * from item',
    'select * from item for update',
    'insert into item values (99)',
    'update item set id = id',
    'delete from item',
    'with gone as (delete from item returning *) select * from gone',
    'merge into item using (values (1)) v (x) on id = x when matched then delete',
    'truncate item',
    'create index i on item (name)',
    'create unique index if not exists i on item (id, name)',
    'drop table item',
    'reindex table item',
    'alter table item add column extra int',
    'alter table item alter column id set statistics 5',
    'alter table item disable trigger user',
    'alter table item add constraint fk foreign key (id) references item',
    'alter table item add constraint big check (id < 1000) not valid',
    'alter table item add column more int, alter column id set statistics 5',
    'comment on table item is $$x$$',
    'create statistics st on id, name from item',
    'create trigger tr before update on item for each row execute function suppress_redundant_updates_trigger()',
    'lock table item in share row exclusive mode',
    'lock table only item in access share mode',
    'analyze item',
    'cluster item using item_pkey',
  ])('is the one it takes: %s', async (sql) => {
    const simulation = await simulate(sql)
    const session = await db.sql.reserve()
    await session`begin`
    await session.unsafe(sql)
    const held = await session<{ mode: string }[]>`
      select l.mode from pg_locks l where l.pid = pg_backend_pid() and l.relation = ${ITEM}::oid order by case l.mode when 'AccessShareLock' then 1
        when 'RowShareLock' then 2 when 'RowExclusiveLock' then 3 when 'ShareUpdateExclusiveLock' then 4 when 'ShareLock' then 5
        when 'ShareRowExclusiveLock' then 6 when 'ExclusiveLock' then 7 else 8 end desc limit 1`
    await session`rollback`
    session.release()
    expect(simulation?.details).toMatchObject({ lock_mode: held[0]?.mode })
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
      summary:
        'DELETE public.item, other on main (postgres db.test:5432, database shop, as ops); takes RowExclusiveLock: reads and writes of other rows go on; schema changes and plain index builds wait',
      targets: { kind: 'table', ids: ['public.item', 'other'] },
      command: `-- $1 = "it's"\n-- $2 = {"a":null,"b":1}\n-- the statement, to its end:\ndelete from public.item using other where id = $1`,
    })
    const noted = parse('select pg_cancel_backend(7)', { note: 'nobody waits' })
    expect(postgresExecute.describe(noted, way).summary).toBe(
      'SELECT pg_cancel_backend on main (postgres db.test:5432, database shop, as ops); the template says: nobody waits',
    )
    expect(postgresExecute.describe(parse('select do_it()'), way).targets).toEqual({
      kind: 'connection',
      ids: ['main'],
    })
  })

  it('shows the values before the statement, whose comments cannot pass for them', () => {
    const input = parse('delete from item where id = $1\n-- $1 = 7', { params: [9] })
    expect(postgresExecute.describe(input, { idempotency_key: '' }).command).toBe(
      '-- $1 = 9\n-- the statement, to its end:\ndelete from item where id = $1\n-- $1 = 7',
    )
  })

  it('refuses what the protocol would cut off', () => {
    expect(() => parse('select 1\u0000; drop table item')).toThrow('NUL')
    expect(() => parse('select $1', { params: ['a\u0000b'] })).toThrow('NUL')
  })
})
