import { beforeAll, describe, expect, it } from 'vitest'
import { postgresQuery } from '#activities/operators/postgres/query.ts'
import type { JsonObject } from '#core/json/json.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { createScratch } from './create-scratch.ts'

beforeAll(() => postgresQuery.ready?.())
const db = fileFixture(createScratch)
beforeAll(async () => {
  await db.sql`create table item (id int primary key, name text)`
  await db.sql`insert into item select i, 'item ' || i from generate_series(1, 1500) i`
})

/** A read that never ends. */
const SLOW = 'count(*) from (select generate_series(1, 1000000000000)) as s'

const run = async (sql: string, rest: JsonObject = {}, signal = new AbortController().signal) => {
  const ctx = operatorContext({ connections: { main: db.url, web: 'https://x.example' }, signal })
  return (await postgresQuery.execute(ctx, postgresQuery.parse({ connection: 'main', sql, ...rest }))).outputs
}

describe('a simulation', () => {
  it('plans a read and learns nothing of the rows', async () => {
    const ctx = operatorContext({ connections: { main: db.url } })
    const simulated = async (sql: string) =>
      await postgresQuery.simulate?.(ctx, postgresQuery.parse({ connection: 'main', sql }))
    const reported = await simulated(`select name from item where 1 / (id - 1) > 0`)
    // done, it would divide by zero
    expect(reported).toMatchObject({ ok: true, summary: expect.stringContaining('planned and not run') })
    const [there, absent] = [
      await simulated('select 1 from item where id = 7'),
      await simulated('select 1 from item where id = -7'),
    ]
    expect(there).toEqual(absent)
  })
})

describe('reading', () => {
  it('keeps the numbers of json and jsonb that would be rounded as text', async () => {
    const { rows } =
      await run(`select '{"id": 9007199254740993, "n": 7}'::jsonb as b, '[0.10000000000000001]'::json as j,
      array['{"id": 9007199254740993}'::jsonb] as bs`)
    expect(rows).toEqual([
      { b: { id: '9007199254740993', n: 7 }, j: ['0.10000000000000001'], bs: [{ id: '9007199254740993' }] },
    ])
  })

  it('answers JSON: exact numbers and times as text, times in ISO 8601', async () => {
    const { rows, row_count, truncated } =
      await run(`select 9007199254740993::bigint as big, 1.10::numeric as num, 3::int as i,
      1.5::float8 as f, 'NaN'::float8 as nan, true as b, null::text as n, '{"a":[1]}'::jsonb as j, array[1,2] as ints,
      array['x','y'] as texts, timestamptz '2026-01-02 03:04:05.678901+02' as tz, timestamp '2026-01-02 03:04:05' as ts,
      date '2026-01-02' as d, interval '1 day 2 hours' as iv, '\\x00ff'::bytea as bytes, 'infinity'::timestamptz as inf`)
    expect({ row_count, truncated }).toEqual({ row_count: 1, truncated: false })
    expect(rows).toEqual([
      {
        big: '9007199254740993',
        num: '1.10',
        i: 3,
        f: 1.5,
        nan: 'NaN',
        b: true,
        n: null,
        j: { a: [1] },
        ints: [1, 2],
        texts: ['x', 'y'],
        tz: '2026-01-02T01:04:05.678901Z',
        ts: '2026-01-02T03:04:05',
        d: '2026-01-02',
        iv: 'P1DT2H',
        bytes: '\\x00ff',
        inf: 'infinity',
      },
    ])
  })

  it('reads arrays of every type, also of types that the database has of its own', async () => {
    await db.sql`create type colour as enum ('red', 'light blue')`
    const { rows } = await run(`select array['red', 'light blue']::colour[] as own, array[[1, 2], [3, 4]] as nested,
      array[date '2026-01-02', null] as days, array['{"a":1}']::jsonb[] as objects, array['(1,1),(0,0)', '(3,3),(2,2)']::box[] as boxes`)
    expect(rows).toEqual([
      {
        own: ['red', 'light blue'],
        nested: [
          [1, 2],
          [3, 4],
        ],
        days: ['2026-01-02', null],
        objects: [{ a: 1 }],
        // the one type whose arrays are not separated by commas stays text
        boxes: '{(1,1),(0,0);(3,3),(2,2)}',
      },
    ])
  })

  it('takes parameters of every JSON type, never as text of the statement', async () => {
    const params = [7, "x'; drop table item; --", true, null, { a: 1 }, [1, 2], ['p', 'q'], '2026-01-02', '12.50']
    const sql = `select $1::int as i, $2::text as t, $3::bool as b, $4::text as n, $5::jsonb as j, $6::int[] as ints, $7::text[] as texts,
      $8::date as d, $9::numeric as num`
    expect((await run(sql, { params })).rows).toEqual([
      {
        i: 7,
        t: "x'; drop table item; --",
        b: true,
        n: null,
        j: { a: 1 },
        ints: [1, 2],
        texts: ['p', 'q'],
        d: '2026-01-02',
        num: '12.50',
      },
    ])
  })

  it.each([
    '/* a /* nested */ b */ -- c\n select 1 as x',
    '(select 1 as x)',
    'with a as (select 1 as x) select x from a',
    'values (1)',
    'table item',
    'show server_version',
    'explain select 1',
  ])('accepts %j', async (sql) => expect((await run(sql)).row_count).toBeGreaterThan(0))

  it('stops at 1,000 rows and at 1 MiB, and says so', async () => {
    expect(await run('select id from item order by id')).toMatchObject({ row_count: 1000, truncated: true })
    expect(await run('select id from item where id <= 1000')).toMatchObject({ row_count: 1000, truncated: false })
    expect(await run(`select repeat('x', 300000) as x from generate_series(1, 10)`)).toMatchObject({
      row_count: 3,
      truncated: true,
    })
    expect(await run('select 1 where false')).toEqual({ rows: [], row_count: 0, truncated: false })
  })
})

describe('bounds', () => {
  it('statement_timeout ends a slow query', async () => {
    await expect(run(`select ${SLOW}`, { statement_timeout: '50ms' })).rejects.toMatchObject({ code: 'timeout' })
  })

  it('the signal cancels the query on the server', async () => {
    const controller = new AbortController()
    const work = run(`select ${SLOW} /* cancel me */`, {}, controller.signal)
    const running = async () =>
      (
        await db.sql`select count(*)::int as n from pg_stat_activity where state = 'active' and query like '%cancel me%' and pid <> pg_backend_pid()`
      )[0]?.n
    await expect.poll(running).toBe(1)
    controller.abort()
    await expect(work).rejects.toMatchObject({ code: 'aborted', unknown_outcome: false })
    await expect.poll(running).toBe(0)
  })

  it('no connection outlives its execution', async () => {
    await run('select 1')
    await run('select broken').catch(() => undefined)
    const sessions = async () =>
      (await db.sql`select count(*)::int as n from pg_stat_activity where application_name = 'svc run_1'`)[0]?.n
    await expect.poll(sessions).toBe(0)
  })

  it('a role narrows what can be read', async () => {
    await db.sql`drop role if exists nobody_reads`
    await db.sql`create role nobody_reads`
    await expect(run('select * from item', { role: 'nobody_reads' })).rejects.toMatchObject({
      code: 'sql_failed',
      details: { sqlstate: '42501' },
    })
    await db.sql`drop role nobody_reads`
  })

  it('a failing statement says why, in SQLSTATE', async () => {
    await expect(run('select broken')).rejects.toMatchObject({ code: 'sql_failed', details: { sqlstate: '42703' } })
  })

  it('a server that is not there is worth another attempt, a connection of another kind is not', async () => {
    const ctx = operatorContext({ connections: { main: 'postgres://svc:s3cret@127.0.0.1:1/x' } })
    const work = postgresQuery.execute(ctx, postgresQuery.parse({ connection: 'main', sql: 'select 1' }))
    await expect(work).rejects.toMatchObject({
      code: 'unreachable',
      retryable: true,
      message: expect.not.stringContaining('s3cret'),
    })
    await expect(run('select 1', { connection: 'web' })).rejects.toMatchObject({
      code: 'connection_kind',
      retryable: false,
    })
  })
})
