import { readdir, readFile } from 'node:fs/promises'
import fc from 'fast-check'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { parse } from 'yaml'
import { postgresQuery } from '#activities/operators/postgres/query.ts'
import type { JsonObject } from '#core/json/json.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { createActingObjects } from './acting-objects.ts'
import { createScratch, type Scratch } from './create-scratch.ts'

let db: Scratch
let listener: postgres.Sql
const received: string[] = []
beforeAll(async () => {
  await postgresQuery.ready?.()
  db = await createScratch(inject('postgres_url'))
  await createActingObjects(db.sql)
  listener = postgres(db.url, { max: 1, onnotice: () => undefined })
  for (const channel of ['sneak', 'aside', 'n']) await listener.listen(channel, () => received.push(channel))
})
afterAll(async () => {
  await listener.end({ timeout: 1 })
  await db.drop()
})

const run = async (sql: string, rest: JsonObject = {}, url = db.url) => {
  const ctx = operatorContext({ connections: { main: url } })
  return (await postgresQuery.execute(ctx, postgresQuery.parse({ connection: 'main', sql, ...rest }))).outputs
}

/** All that a statement could have left behind, as another session sees it. */
async function world() {
  const [row] = await db.sql`
    select (select json_agg(s order by s.sequencename) from (select sequencename, last_value from pg_sequences) s) as sequences,
      (select md5(string_agg(i::text, ',' order by id)) from item i) as item,
      (select count(*)::int from pg_class) + (select count(*)::int from pg_proc) as objects,
      (select count(*)::int from pg_largeobject_metadata) as large_objects,
      (select count(*)::int from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())) as advisory,
      (select json_agg(pid order by pid) from pg_stat_activity where datname = current_database() and application_name not like 'svc%' and backend_type = 'client backend') as sessions,
      (select count(*)::int from pg_replication_slots) as slots,
      (select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waiting`
  return { ...row, received: [...received] }
}

describe('a statement is no read', () => {
  it.each([
    'delete from item',
    "insert into item values (0, 'x')",
    'drop table item',
    'copy item to stdout',
    'copy (select 1) to program $$true$$',
    'do $$ begin delete from item; end $$',
    'call x()',
    'vacuum item',
    'set default_transaction_read_only = off',
    'prepare p as delete from item',
    'execute p',
    'listen x',
    'notify x',
    'lock table item',
    'create temp table t ()',
    'declare c cursor for select 1',
    'refresh materialized view m',
    'explain analyze select 1',
    'explain (analyze) delete from item',
    'explain (analyze off, analyze) select 1',
    'explain (analyze 1) select 1',
    'explain (analyze, format json) select 1',
    'explain analyze execute p',
    'explain create table t as select 1',
    'select * into copied from item',
    'select 1 union select 2 from item for update',
    'select * from item for update',
    'select * from (select * from item for share) s',
    'with gone as (delete from item returning id) select * from gone',
    'with a as (with b as (update item set id = 1 returning id) select * from b) select * from a',
    '/* /* */ select */ delete from item',
  ])('by its grammar: %s', async (sql) => {
    await expect(run(sql)).rejects.toMatchObject({ code: 'not_a_read', retryable: false, unknown_outcome: false })
  })

  it.each(['', '-- nothing', 'select 1; select 2', 'select 1; commit; delete from item', "select 'open", 'selec 1'])(
    'nor is anything that is not one statement: %j',
    async (sql) => {
      await expect(run(sql)).rejects.toMatchObject({ code: expect.stringMatching(/^(sql_refused|validation_failed)$/) })
    },
  )

  it.each([
    ["select setval('ticket', 99)", 'setval'],
    ["select nextval('ticket')", 'nextval'],
    ['select pg_terminate_backend(pid) from pg_stat_activity', 'pg_terminate_backend'],
    ['select pg_catalog.pg_cancel_backend(pid) from pg_stat_activity', 'pg_cancel_backend'],
    ["select PG_NOTIFY('n', 'x')", 'pg_notify'],
    ['select "pg_advisory_lock"(1)', 'pg_advisory_lock'],
    ['select U&"pg_\\0061dvisory_lock"(1)', 'pg_advisory_lock'],
    ['select * from pg_try_advisory_lock_shared(1)', 'pg_try_advisory_lock_shared'],
    ['select lo_create(0)', 'lo_create'],
    ["select lo_from_bytea(0, 'x')", 'lo_from_bytea'],
    ["select query_to_xml('delete from item', true, true, '')", 'query_to_xml'],
    ["select table_to_xml('behind', true, true, '')", 'table_to_xml'],
    ["select set_config('role', 'x', false)", 'set_config'],
    ['select pg_sleep(0)', 'pg_sleep'],
    ["select pg_read_file('PG_VERSION')", 'pg_read_file'],
    ['select txid_current()', 'txid_current'],
    ["select pg_input_is_valid('1', 'chatty')", 'pg_input_is_valid'],
    ["select pg_create_restore_point('x')", 'pg_catalog.pg_create_restore_point'],
    ["select pg_logical_emit_message(false, 'a', 'b')", 'pg_logical_emit_message'],
  ])('by a function of the server: %s', async (sql, name) => {
    await expect(run(sql)).rejects.toMatchObject({ code: 'not_a_read', details: { function: name } })
  })

  it.each([
    ['select sneak()'],
    ['select public.sneak()'],
    ['select (select max(x) from (select sneak() as x) as s)'],
    ['with a as (select sneak() as x) select x from a'],
    ['select case when id > 1 then sneak(id) else 0 end from item'],
    ['select id from item where exists (select 1 where sneak() > 0)'],
    ['select id from item group by id having sneak() > 0'],
    ['select id from item order by sneak()'],
    ['select id from item limit sneak()'],
    ['select count(*) filter (where sneak() > 0) over (partition by sneak()) from item'],
    ['select * from item join lateral sneak(id) as s on true'],
    ['select * from rows from (sneak(), calm(1)) as r'],
    ['values (1), (sneak())'],
    ['select array[sneak()], row(sneak()), (array[1])[sneak()]'],
    ["select xmlelement(name a, sneak()), json_object('a': sneak())"],
    ['select * from item tablesample bernoulli (sneak())'],
    ['explain select sneak()'],
    ['explain delete from item where sneak() > 0'],
    ['select item.shout from item', 'the column notation .shout'],
    ['select (item).shout from item', 'the column notation .shout'],
    ['select (i.*).shout from item as i', 'the column notation .shout'],
    ['select calm(by_default())', 'a default argument of public.by_default', 'pg_catalog.nextval'],
    ['select 1 +@+ 2', 'the operator +@+'],
    ['select 1 operator(public.+@+) 2', 'the operator +@+'],
    ['select 1 +@+ any (array[1]) is null', 'the operator +@+'],
    ['select 1::pair', 'the cast from integer to public.pair'],
    ['select cast(id as pair) from item', 'the cast from integer to public.pair'],
    ['select array[1]::pair[]', 'the cast from integer to public.pair'],
    ["select '5'::chatty", 'the domain public.chatty'],
    ["select chatty '5'", 'the domain public.chatty'],
    ["select chatty('5')", 'the domain public.chatty'],
    ["select '(5)'::boxed", 'the domain public.chatty'],
    ["select '{[5,6]}'::chatty_multirange", 'the domain public.chatty'],
    ["select * from json_to_record('{}') as r (x chatty)", 'the domain public.chatty'],
    ['select takes_chatty(5)', 'the domain public.chatty'],
    ["select json_populate_record(e, '{}') from entry as e", 'the domain public.chatty'],
    ["select jsonb_populate_record(no_entry(), '{}')", 'the domain public.chatty'],
    ["select json_populate_record(e, '{}') from entries()", 'the domain public.chatty'],
    [`select e #= '"inside"=>"1"'::hstore from entry as e`, 'the domain public.chatty'],
    ["select lag(inside, 1, '5') over () from entry", 'the domain public.chatty'],
    ["select parts = '{5}' from list", 'the domain public.chatty'],
    ["select span @> '5' from list", 'the domain public.chatty'],
    ['select id from item where not (id === 2)', 'the operator !=='],
    ['select 0 !!! 0', 'the operator !!!', 'pg_catalog.pg_terminate_backend'],
    ['select loud_sum(id) from item', 'the aggregate loud_sum'],
    ['select loud_sum(id) over () from item', 'the aggregate loud_sum'],
    ['select * from behind', 'the view public.behind'],
    ['select * from public.behind_behind', 'the view public.behind'],
    ['table aside', 'the view public.aside', 'pg_catalog.pg_notify'],
    ['with item as (select 1) select * from behind', 'the view public.behind'],
    ['select * from guarded', 'a row policy of public.guarded'],
    ['select either_way(1)'],
  ])('by the catalogue: %s', async (sql, by?: string, name?: string) => {
    await expect(run(sql)).rejects.toMatchObject({
      code: 'not_a_read',
      message: expect.stringContaining('postgres.execute'),
      details: {
        ...(by !== undefined && { by }),
        function: name ?? expect.stringMatching(/^public\.(sneak|shout|either_way|pair)/),
      },
    })
  })

  it('when a view takes row locks', async () => {
    await expect(run('select * from locking')).rejects.toMatchObject({
      code: 'not_a_read',
      details: { by: 'the view public.locking' },
    })
  })

  it.each(['away', 'whole'])('when it asks another server: %s', async (table) => {
    await expect(run(`select * from ${table}`)).rejects.toMatchObject({
      code: 'not_a_read',
      message: expect.stringContaining('another server'),
    })
  })

  it.each([
    ['create cast (pair as int) with function unpair(pair) as implicit'],
    ['create cast (pair as json) with function unjson(pair)'],
    [
      'create cast (pair as int) with function unpair(pair) as assignment',
      'select 1 from held limit (select p from held)',
    ],
    ['create cast (pair as boolean) with function unbool(pair) as assignment', 'select 1 from held where p'],
    ['create cast (pair as text) with function untext(pair)', "select 'p: ' || p from held"],
    ['create cast (pair as text) with function untext(pair)', "select p || '' from held"],
    ['create cast (pair as text) with function untext(pair)', 'select quote_literal(p) from held'],
    ['create cast (pair as text) with function untext(pair)', 'select quote_nullable(p) from held'],
    ['create cast (pair as text) with function untext(pair) as assignment', 'select xmlparse(content p) from held'],
    ['create operator = (leftarg = pair, rightarg = pair, function = same_pair)'],
    [
      'create operator class own default for type pair using hash as operator 1 =#= (pair, pair), function 1 unpair(pair)',
      'select distinct p from held',
    ],
    [
      'create type spread as range (subtype = int, subtype_diff = apart); alter function apart(int, int) volatile',
      "select '[1,2]'::spread && '[2,3]'::spread",
    ],
  ])('while the database has it, and nobody writes its name: %s', async (create, sql = 'select 1') => {
    await db.sql.unsafe(`
      create function unpair(pair) returns int language sql as 'select sneak()';
      create function unjson(pair) returns json language sql as 'select to_json(sneak())';
      create function unbool(pair) returns boolean language sql as 'select sneak() > 0';
      create function untext(pair) returns text language sql as 'select sneak()::text';
      create function same_pair(pair, pair) returns boolean language sql as 'select sneak() > 0';
      create operator =#= (leftarg = pair, rightarg = pair, function = same_pair);
      create function apart(int, int) returns float8 immutable language sql as 'select $1 - $2';
      create table held (p pair);
      ${create}`)
    const end = await run(sql).then(
      () => 'read',
      (error) => error.code,
    )
    await db.sql.unsafe(`
      drop type if exists spread;
      drop function unpair, unjson, unbool, untext, same_pair, apart cascade;
      drop table held`)
    expect(end).toBe('not_a_read')
    await run('select 1')
  })

  it('whatever the search path finds first, and however the server reads strings', async () => {
    const at = (options: string) => `${db.url}?options=${encodeURIComponent(options)}`
    await db.sql`create schema other`
    await db.sql`create function other.calm(int) returns int language sql as 'select public.sneak()'`
    await expect(run('select calm(1)', {}, at('-c search_path=other,public'))).rejects.toMatchObject({
      code: 'not_a_read',
    })
    await expect(run('select calm(1)', {}, at('-c search_path=public,other'))).rejects.toMatchObject({
      code: 'not_a_read',
    })
    expect(await run('select calm(1)', {}, at('-c search_path=public'))).toMatchObject({ rows: [{ calm: 2 }] })
    const sql = "select 'a\\', sneak(), '"
    await expect(run(sql, {}, at('-c standard_conforming_strings=off'))).rejects.toMatchObject({ code: 'sql_refused' })
    expect(await run("select 'a\\' as x", {}, at('-c standard_conforming_strings=off'))).toMatchObject({
      rows: [{ x: 'a\\' }],
    })
  })

  it('and nothing of all that has happened', async () => {
    expect(received).toEqual([])
    expect(await world()).toMatchObject({
      advisory: 0,
      large_objects: 0,
      sequences: [{ sequencename: 'ticket', last_value: null }],
    })
  })
})

describe('a statement is a read', () => {
  it.each([
    'select calm(id), next from calm_view where id between 1 and 3 order by 1',
    'select public.calm(1), pg_catalog.upper($$x$$)',
    'select random(), clock_timestamp(), gen_random_uuid(), pg_backend_pid(), now(), current_user',
    "select currval('pg_catalog.pg_class'::regclass) where false",
    'select pid, state, query from pg_stat_activity',
    'select * from pg_locks',
    'select * from pg_stat_user_tables',
    'select * from pg_stat_io',
    'select * from pg_sequences',
    'select * from information_schema.columns',
    // of a foreign table this asks its wrapper, which must have a handler
    "select * from information_schema.columns where table_name = 'away'",
    "select 'a' || name || id, quote_literal(id) from item where not id = 2",
    'select inside from entry order by inside',
    "select pg_size_pretty(pg_total_relation_size('item')), pg_blocking_pids(1), pg_is_in_recovery()",
    "select count(*) filter (where id > 3), string_agg(name, ',' order by id), percentile_cont(0.5) within group (order by id) from item",
    'with recursive t (n) as (select 1 union all select n + 1 from t where n < 5) select * from t',
    "select * from xmltable('/a/b' passing '<a><b>1</b></a>' columns c int path '.')",
    `select * from json_table('[{"a":1}]', '$[*]' columns (a int path '$.a'))`,
    "select json_object('a': 1), json_arrayagg(id) from item",
    'select item.name, i.* from item, lateral (select item.id) as i',
    'select * from item tablesample system (50)',
    'explain (costs off) select * from item',
    'explain (analyze off) delete from item',
    'explain update item set id = default where id = 1',
    'show work_mem',
    "select '5'::numeric(4, 2), array[1]::bigint[], '{}'::jsonb, interval '1 day', date '2026-01-01'",
    "select json_populate_record(null::item, '{}')",
  ])('%s', async (sql) => {
    await run(sql)
  })

  it('with its parameters, and in the schema of the session', async () => {
    expect(await run('select calm($1::int) as x, current_schemas(false)::text as path', { params: [4] })).toMatchObject(
      { rows: [{ x: 5, path: '{public}' }] },
    )
  })

  it('whenever the shipped packs ask one', async () => {
    const folder = new URL('../../../packs/db/templates/', import.meta.url)
    let asked = 0
    await db.sql`create extension pgstattuple`
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.yaml')) continue
      const { steps } = parse(await readFile(new URL(name, folder), 'utf8'), { merge: true })
      for (const { operator, with: input } of steps) {
        if (operator !== 'postgres.query') continue
        asked += 1
        // what a step hands on is of no matter to what it calls
        const sql = input.sql.replaceAll(/\$\{\{ steps\..*?pgstattuple \}\}/g, 'public')
        await run(`explain ${sql.replaceAll(/\$[1-9](?=::)/g, 'null')}`)
      }
    }
    await db.sql`drop extension pgstattuple`
    expect(asked).toBeGreaterThan(14)
  })

  it('with functions of extensions that only answer', async () => {
    await db.sql`create extension pgstattuple`
    await db.sql`create extension tablefunc`
    await run("select * from pgstattuple('item')")
    await expect(run("select * from crosstab('delete from item') as t (a text, b text)")).rejects.toMatchObject({
      code: 'not_a_read',
      details: { function: 'public.crosstab' },
    })
    await db.sql`drop extension pgstattuple`
    await db.sql`drop extension tablefunc`
  })
})

describe('the server', () => {
  it('has no operator and no cast of its own that is volatile', async () => {
    const found = await db.sql`
      select o.oid from pg_operator o join pg_proc p on p.oid in (o.oprcode, o.oprrest, o.oprjoin) where o.oid < 16384 and p.provolatile = 'v'
      union all select c.oid from pg_cast c join pg_proc p on p.oid = c.castfunc where c.oid < 16384 and p.provolatile = 'v'
      union all select a.aggfnoid from pg_aggregate a join pg_proc p on p.oid in (a.aggtransfn, a.aggfinalfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn) where a.aggfnoid < 16384 and p.provolatile = 'v'`
    expect(found).toEqual([])
  })
})

const CALM = [
  'id',
  '1',
  'calm(id)',
  'length(name)',
  'random()::int',
  'pg_backend_pid()',
  'extract(hour from now())::int',
  "pg_relation_size('item')::int",
]
const ACTING = [
  "nextval('ticket')::int",
  "setval('ticket', 5)::int",
  "length(pg_notify('n', 'x')::text)",
  'length(pg_advisory_lock(1)::text)',
  'pg_try_advisory_lock(2)::int',
  'lo_create(0)::int',
  'sneak()',
  'sneak(id)',
  'by_default()',
  'id +@+ 1',
  "length(query_to_xml('delete from item', true, true, '')::text)",
  '(select told from behind limit 1)',
  '(select length(told::text) from aside limit 1)',
  '(select pg_terminate_backend(pid)::int from pg_stat_activity limit 1)',
  '(select loud_sum(id)::int from item)',
  "'5'::chatty::int",
  '(1::pair).a',
  'item.shout',
  "length(set_config('application_name', 'x', false))",
]

interface Piece {
  sql: string
  acts: boolean
}
const { expression } = fc.letrec<{ expression: Piece }>((tie) => {
  const inner = tie('expression')
  const of = (wrap: (a: string, b: string) => string) =>
    fc.tuple(inner, inner).map(([a, b]) => ({ sql: wrap(a.sql, b.sql), acts: a.acts || b.acts }))
  return {
    expression: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom(...CALM, ...CALM, ...CALM).map((sql) => ({ sql, acts: false })),
      fc.constantFrom(...ACTING).map((sql) => ({ sql, acts: true })),
      of((a, b) => `case when ${a} > 0 then ${b} else 0 end`),
      of((a, b) => `coalesce(nullif(${a}, 0), ${b})`),
      of((a, b) => `(select max(s.x) from (select ${a} as x union all select ${b}) as s)`),
      of((a, b) => `(with w as (select ${a} as x) select x + ${b} from w limit 1)`),
      of((a, b) => `cardinality(array(select ${a} where ${b} is not null))`),
      of((a, b) => `calm(greatest(${a}, ${b}))`),
      of((a, b) => `(${a} in (${b}, 3))::int`),
    ),
  }
})
const SHAPES: ((a: string, b: string) => string)[] = [
  (a, b) => `select ${a} from item where ${b} is not null`,
  (a, b) => `select count(*) from item group by id, name having count(${a}) > 0 or ${b} > 1`,
  (a, b) =>
    `with c as materialized (select ${a} as x from item) select sum(x) over (order by x) from c where exists (select ${b} from item)`,
  (a, b) => `select * from item join lateral (select ${a} as x) as l on l.x = ${b}`,
  (a, b) => `select id from item order by ${a}, ${b} limit 3`,
  (a, b) => `explain select ${a} from item where ${b} > 0`,
]

describe('whatever is asked', () => {
  it('what acts is refused, the rest is read, and both leave the world as it was', async () => {
    const before = await world()
    const counts = { read: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SHAPES), expression, expression, async (shape, a, b) => {
        const sql = shape(a.sql, b.sql)
        const end = await run(sql).then(
          () => 'read',
          (error) => error.code,
        )
        if (a.acts || b.acts) {
          counts.refused += 1
          expect([sql, end]).toEqual([sql, 'not_a_read'])
        } else {
          counts.read += 1
          expect([sql, end]).toEqual([sql, 'read'])
          expect(await world()).toEqual(before)
        }
      }),
      { numRuns: 200 },
    )
    expect(await world()).toEqual(before)
    expect(Math.min(counts.read, counts.refused)).toBeGreaterThan(40)
  })
})
