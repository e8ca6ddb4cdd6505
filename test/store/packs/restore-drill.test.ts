import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { copyIn, copyStatement } from '#activities/operators/postgres/backup/copy-stream.ts'
import { inBackupSession } from '#activities/operators/postgres/backup/session.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createBackupStore } from '#platform/backups/backup-store.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { runTemplate } from '#test/support/run-template.ts'
import { createScratch, type Scratch } from '../operators/create-scratch.ts'

const ALL = `
  create schema sales;
  create type sales.mood as enum ('calm', 'o''ver');
  create sequence sales.numbers as smallint increment by 3 start with 5;
  create table sales."Customer" (
    id int generated always as identity (start with 100) primary key, name varchar(20) not null default 'x', mood sales.mood,
    check (id > 0), constraint "One name" unique (name));
  create table orders (
    id serial primary key, customer int references sales."Customer" on delete cascade deferrable, at timestamptz default now(), j jsonb, b bytea,
    twice int generated always as (customer * 2) stored, tags text[], f float8, note text collate "C", number int default nextval('sales.numbers'));
  create unlogged table scratchpad (n numeric(5, 2)) with (fillfactor = 70);
  create table nothing ();
  create index on orders (customer) where customer > 1;
  create unique index on orders (lower(note));
  insert into sales."Customer" (name, mood) select 'a' || n, 'o''ver' from generate_series(1, 1000) n;
  insert into orders (customer, j, b, tags, f, note) select n + 99, '{"a": "x\\ny\\\\"}', 'abc', array['a', 'b c', null, E'n\\nl\\t'], 1.1 / 3,
    case when n % 2 = 0 then null else E'tab\\tline\\n\\\\.' || n end from generate_series(1, 1000) n;
  insert into scratchpad values ('NaN'), (null);
  create view sales.later as select 1 as x;
  create view sales.earlier with (security_barrier) as select x from sales.later;
  create materialized view counted as select count(*) as n from orders;
  create unique index on counted (n)`

const databases: Scratch[] = []
let scratch: Scratch
let backups: string
let runs = 0

async function database(): Promise<Scratch> {
  const made = await createScratch(inject('postgres_url'))
  databases.push(made)
  return made
}

// dropped with the others below
const source = fileFixture(database, () => undefined)
beforeAll(() => source.sql.unsafe(ALL))
beforeEach(async () => {
  scratch = await database()
  backups = await mkdtemp(join(tmpdir(), 'svc-backups-'))
})
afterEach(() => rm(backups, { recursive: true, force: true }))
afterAll(async () => {
  for (const each of databases) await each.drop()
})

async function go(template: string, inputs: JsonObject, connections: Record<string, string> = {}) {
  runs += 1
  const known = { maintenance: source.url, scratch: scratch.url, ...connections }
  return await runTemplate({ template: `db/${template}`, connections: known, inputs, backups, run_id: `run_${runs}` })
}
const backup = async (inputs: JsonObject = {}, connections = {}) => {
  const { backup: id, digest } = (await go('backup', inputs, connections)).outputs
  return { backup: String(id), digest: String(digest) }
}
const folderOf = ({ backup: id }: { backup: string }) => join(backups, 'ws_1', id)
const relations = async ({ sql }: Scratch) =>
  (
    await sql<
      { name: string }[]
    >`select oid::regclass::text as name from pg_class where relnamespace::regnamespace::text in ('public', 'sales', 'svc_restore') order by 1`
  ).map(({ name }) => name)

describe('a drill', () => {
  it('backs up, restores, finds both the same, measures, and leaves nothing', async () => {
    const made = await go('backup', {})
    expect(made.outputs).toMatchObject({ tables: 4, rows: 2002 })
    expect(made.report).toContain('| The one before | there is none |')
    const named = { backup: String(made.outputs['backup']), digest: String(made.outputs['digest']) }
    expect((await go('restore-drill', named)).outputs).toMatchObject({ tables: 4, rows: 2002 })

    const checked = await go('restore-check', named)
    expect(checked.outputs).toMatchObject({ ok: true, differences: [], tables: 4, rows: 2002, between_backups_s: null })
    expect(Number(checked.outputs['recovery_s'])).toBeGreaterThan(0)
    expect(Number(checked.outputs['data_age_s'])).toBeGreaterThan(0)

    // and by another way than its own: what is defined and computed is the same too
    const definitions = async ({ sql }: Scratch) =>
      await sql`
        select 'index' as what, pg_get_indexdef(indexrelid) as said from pg_index where indrelid::regclass::text !~ '^(pg_|svc_)' and indrelid >= 16384 and indrelid::regclass::text !~ 'pg_toast'
        union all select 'constraint', conname || pg_get_constraintdef(oid) from pg_constraint where connamespace::regnamespace::text in ('public', 'sales')
        union all select 'view', schemaname || viewname || definition from pg_views where schemaname in ('public', 'sales')
        union all select 'column', concat_ws(' ', table_schema, table_name, column_name, data_type, column_default, is_nullable, is_identity, identity_start, generation_expression, collation_name)
          from information_schema.columns where table_schema in ('public', 'sales')
        union all select 'sequence', concat_ws(' ', schemaname, sequencename, data_type, start_value, increment_by, last_value) from pg_sequences where schemaname in ('public', 'sales')
        order by 1, 2`
    expect(await definitions(scratch)).toEqual(await definitions(source))
    const content = async ({ sql }: Scratch) => await sql`select * from orders order by id`
    expect(await content(scratch)).toEqual(await content(source))
    expect(await scratch.sql`insert into sales."Customer" (name) values ('next') returning id`).toEqual([{ id: 1100 }])
    await scratch.sql`delete from sales."Customer" where name = 'next'`

    expect((await go('restore-clear', { backup: named.backup })).outputs).toMatchObject({ cleared: true })
    expect(await relations(scratch)).toEqual([])
    expect((await go('restore-clear', { backup: named.backup })).outputs).toEqual({ cleared: false, objects: 0 })
  })

  it('is told twice what it did once', async () => {
    const named = await backup()
    const restore = () =>
      runTemplate({
        template: 'db/restore-drill',
        connections: { scratch: scratch.url },
        inputs: named,
        backups,
        run_id: 'run_same',
      })
    expect((await restore()).outputs).toEqual((await restore()).outputs)
  })

  it('is consistent while others write', async () => {
    const busy = await database()
    await busy.sql.unsafe(`
      create table accounts_a (id int primary key, money int); create table accounts_z (id int primary key, money int); create table moves (n int);
      insert into accounts_a select n, 1000 from generate_series(1, 200) n; insert into accounts_z select n, 1000 from generate_series(1, 200) n`)
    let stop = false
    let moved = 0
    const mover = async () => {
      while (!stop) {
        const id = 1 + (moved % 200)
        await busy.sql.begin(async (sql) => {
          await sql`update accounts_a set money = money - 1 where id = ${id}`
          await sql`update accounts_z set money = money + 1 where id = ${id}`
          await sql`insert into moves values (1)`
        })
        moved += 1
      }
    }
    const movers = [mover(), mover()]
    await expect.poll(() => moved).toBeGreaterThan(50)
    const named = await backup({}, { maintenance: busy.url })
    const after = moved
    await expect.poll(() => moved).toBeGreaterThan(after + 50)
    stop = true
    await Promise.all(movers)
    await go('restore-drill', named)
    expect((await go('restore-check', named)).outputs).toMatchObject({ ok: true })
    const sums =
      await scratch.sql`select (select sum(money) from accounts_a)::int + (select sum(money) from accounts_z)::int as total,
      200000 - (select sum(money) from accounts_a)::int = (select count(*) from moves) as as_moved, (select count(*) from moves)::int as moves`
    expect(sums).toMatchObject([{ total: 400_000, as_moved: true }])
    expect(Number(sums[0]?.['moves'])).toBeGreaterThan(0)
    expect(Number(sums[0]?.['moves'])).toBeLessThan(moved)
  })
})

describe('a backup', () => {
  it('keeps the newest, and knows the one before', async () => {
    const first = await backup({ keep: 2 })
    const second = await backup({ keep: 2 })
    const third = await backup({ keep: 2 })
    expect((await readdir(join(backups, 'ws_1'))).sort()).toEqual([second.backup, third.backup].sort())
    await go('restore-drill', third)
    const checked = await go('restore-check', third)
    expect(Number(checked.outputs['between_backups_s'])).toBeGreaterThan(0)
    expect(checked.report).toContain('so much could have been lost')
    await expect(go('restore-drill', first)).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([
    ['functions', 'create function one() returns int language sql as $$ select 1 $$', 'public.one (functions)'],
    ['partitioned_tables', 'create table parts (n int) partition by list (n)', 'public.parts (partitioned_tables)'],
    [
      'inherited_tables',
      'create table parent (n int); create table child () inherits (parent)',
      'public.child (inherited_tables), public.parent (inherited_tables)',
    ],
    ['types', 'create domain mail as text', 'public.mail (types)'],
    [
      'rules',
      'create table ruled (n int); create rule quiet as on delete to ruled do instead nothing',
      'quiet on public.ruled (rules)',
    ],
    [
      'row_security',
      'create table secret (n int); alter table secret enable row level security',
      'public.secret (row_security)',
    ],
    ['extensions', 'create extension pgcrypto', 'pgcrypto (extensions)'],
    ['large_objects', 'select lo_create(4711)', '4711 (large_objects)'],
    [
      'other',
      'create table wide (a int, b int); create statistics related on a, b from wide',
      'public.related (other)',
    ],
  ])('refuses %s by name, and leaves them out where that is accepted', async (kind, made, name) => {
    const partial = await database()
    await partial.sql.unsafe(`create table plain (n int); insert into plain values (1); ${made}`)
    const connections = { maintenance: partial.url }
    await expect(go('backup', {}, connections)).rejects.toMatchObject({
      code: 'backup_refused',
      message: `what a backup does not hold, and leave_out does not name: ${name}`,
    })
    expect(await readdir(backups)).toEqual([])
    const accepted = await go('backup', { leave_out: [kind] }, connections)
    expect(accepted.report).toContain(`**Missing in it**, as the one who started it accepted: ${name}`)
    const named = { backup: String(accepted.outputs['backup']), digest: String(accepted.outputs['digest']) }
    await go('restore-drill', named, connections)
    expect((await go('restore-check', named, connections)).outputs).toMatchObject({ ok: true })
  })

  it('refuses what the role may not read, and does not take a part for the whole', async () => {
    await source.sql.unsafe(
      `create role drill_reader login password 'x'; grant usage on schema sales to drill_reader; grant select on orders to drill_reader`,
    )
    const url = new URL(source.url)
    url.username = 'drill_reader'
    url.password = 'x'
    await expect(go('backup', {}, { maintenance: url.href })).rejects.toMatchObject({
      code: 'backup_refused',
      message: expect.stringContaining('the role may not read: public.nothing, public.scratchpad, sales."Customer"'),
    })
    await source.sql.unsafe('grant pg_read_all_data to drill_reader')
    const named = await backup({}, { maintenance: url.href })
    await go('restore-drill', named)
    expect((await go('restore-check', named)).outputs).toMatchObject({ ok: true })
    await source.sql.unsafe('drop owned by drill_reader; drop role drill_reader')
  })

  it('refuses a database that is larger than it may be', async () => {
    await expect(go('backup', { max_mb: 1 })).rejects.toThrow(/^the database is \d+ MB, and max_mb is 1$/)
  })
})

describe('a dry run', () => {
  const predict = async (id: string, input: JsonObject) => {
    const operators = createOperators({ egress: createEgressClient(), backups: createBackupStore(backups) })
    const operator = operators.get(id)
    const context = operatorContext({ connections: { maintenance: source.url, scratch: scratch.url } })
    return await operator?.simulate?.(context, operator.parse(input))
  }

  it('says what a backup would hold, and writes none', async () => {
    expect(await predict('postgres.backup', { connection: 'maintenance' })).toMatchObject({
      ok: true,
      details: { tables: ['public.nothing', 'public.orders', 'public.scratchpad', 'sales."Customer"'] },
    })
    expect(await readdir(backups)).toEqual([])
  })

  it('says whether a restore would go, and restores and clears nothing', async () => {
    const named = await backup()
    expect(await predict('postgres.restore', { connection: 'scratch', ...named })).toMatchObject({ ok: true })
    expect(await relations(scratch)).toEqual([])
    await go('restore-drill', named)
    expect(await predict('postgres.restore', { connection: 'scratch', ...named })).toMatchObject({
      ok: false,
      summary: expect.stringContaining('is not empty'),
    })
    const before = await relations(scratch)
    const clearing = { connection: 'scratch', backup: named.backup }
    expect(await predict('postgres.restore_clear', clearing)).toMatchObject({ ok: true })
    expect(await relations(scratch)).toEqual(before)
  })

  it('says that a worker without a directory keeps none', async () => {
    const without = createOperators({ egress: createEgressClient() }).get('postgres.backup')
    const context = operatorContext({ connections: { maintenance: source.url } })
    await expect(without?.execute(context, { connection: 'maintenance' })).rejects.toMatchObject({
      code: 'not_configured',
    })
  })
})

describe('what COPY is handed', () => {
  it.each([
    ['at once', 'no number\n'],
    ['with the last of many rows', `${'1\n'.repeat(200_000)}no number\n`],
  ])('is refused in words when it does not fit %s, and not waited for', async (_when, rows) => {
    await scratch.sql.unsafe('create table numbers (n int)')
    const context = operatorContext({ connections: { scratch: scratch.url } })
    const pieces = async function* () {
      yield Buffer.from(rows)
    }
    await expect(
      inBackupSession(context, { connection: 'scratch', kind: 'writing' }, (sql) =>
        copyIn(sql, copyStatement({ name: 'numbers', columns: ['n'] }, 'from stdin'), pieces()),
      ),
    ).rejects.toMatchObject({ code: 'sql_failed' })
  })
})

describe('a restore', () => {
  it.each([
    ['a table', 'create table mine (n int)', 'relation public.mine'],
    ['a schema', 'create schema mine', 'schema mine'],
    ['a function', 'create function mine() returns int language sql as $$ select 1 $$', 'function public.mine'],
  ])('refuses a database that has %s, and touches nothing', async (_what, made, name) => {
    const named = await backup()
    await scratch.sql.unsafe(made)
    const before = await relations(scratch)
    await expect(go('restore-drill', named)).rejects.toMatchObject({
      code: 'backup_refused',
      message: expect.stringMatching(new RegExp(`is not empty: ${name}; a restore goes into an empty database$`)),
    })
    await expect(go('restore-clear', { backup: named.backup })).rejects.toThrow(
      'nothing was restored here by this service',
    )
    expect(await relations(scratch)).toEqual(before)
  })

  it('refuses the source itself, also under another name, and also when it is empty', async () => {
    const empty = await database()
    const named = await backup({}, { maintenance: empty.url })
    const other = new URL(empty.url)
    other.hostname = 'localhost'
    await expect(go('restore-drill', named, { scratch: other.href })).rejects.toThrow(
      'is the database that the backup is of',
    )
    const whole = await backup()
    await expect(go('restore-drill', whole, { scratch: source.url })).rejects.toThrow(
      'is the database that the backup is of',
    )
  })

  it('refuses a second one beside the first, and a check or a clearing of another backup', async () => {
    const [first, second] = [await backup(), await backup()]
    await go('restore-drill', first)
    await expect(go('restore-drill', second)).rejects.toThrow('is not empty')
    await expect(go('restore-check', second)).rejects.toThrow(
      `what was restored here is ${first.backup}: restore ${second.backup} first`,
    )
    await expect(go('restore-clear', { backup: second.backup })).rejects.toThrow(
      `what was restored here is ${first.backup}, and not ${second.backup}`,
    )
  })

  it('does not clear what somebody made beside it', async () => {
    const named = await backup()
    await go('restore-drill', named)
    await scratch.sql.unsafe('create table sales.mine (n int)')
    await expect(go('restore-clear', { backup: named.backup })).rejects.toThrow(
      'relation sales.mine was not made by the restore: all of it stays',
    )
    expect(await relations(scratch)).toContain('orders')
  })

  it.each([
    ['a file that is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 20)],
    [
      'a file with other bytes',
      (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 60 ? byte ^ 0xff : byte))),
    ],
    ['no file', () => undefined],
  ])('tells %s, and restores nothing', async (_what, damage) => {
    const named = await backup()
    const file = join(folderOf(named), '00002.copy.gz')
    const damaged = damage(await readFile(file))
    if (damaged === undefined) await rm(file)
    else await writeFile(file, damaged)
    await expect(go('restore-drill', named)).rejects.toMatchObject({ code: 'backup_damaged' })
    expect(await relations(scratch)).toEqual([])
  })

  it('tells a manifest that somebody changed, and a file in the place of another', async () => {
    const named = await backup()
    const manifest = join(folderOf(named), 'manifest.json')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace('create schema sales', 'create schema sale5'))
    await expect(go('restore-drill', named)).rejects.toThrow(
      `the manifest of ${named.backup} is not the one that was written`,
    )
    await writeFile(manifest, text)
    const [first, second] = [join(folderOf(named), '00003.copy.gz'), join(folderOf(named), '00001.copy.gz')]
    await writeFile(first, await readFile(second))
    await expect(go('restore-drill', named)).rejects.toMatchObject({ code: 'backup_damaged' })
    expect(await relations(scratch)).toEqual([])
  })

  it('is compared row by row: what changed meanwhile is named', async () => {
    const named = await backup()
    await go('restore-drill', named)
    await scratch.sql.unsafe(
      `update orders set note = 'other' where id = 2; delete from scratchpad where n is null; select nextval('sales.numbers'); drop table nothing`,
    )
    const { outputs, report } = await go('restore-check', named)
    expect(outputs).toMatchObject({ ok: false })
    expect(outputs['differences']).toEqual([
      'public.nothing: it is not there',
      'public.orders: other content',
      'public.scratchpad: 1 rows instead of 2',
      expect.stringMatching(/^sales\.numbers: at \d+ instead of \d+$/),
    ])
    expect(report).toContain('**not the same**')
    const drill = { ...outputs, backup: named.backup, tables: 4, rows: 1 }
    await expect(go('drill-report', drill)).rejects.toThrow(
      'is not what was backed up: 4 differences, first public.nothing: it is not there',
    )
  })
})

describe('the report of a drill', () => {
  const drill = {
    backup: 'run_1.backup',
    ok: true,
    tables: 4,
    rows: 2002,
    recovery_s: 12.5,
    data_age_s: 30,
    between_backups_s: 86_400,
  }
  it('says what was measured', async () => {
    expect((await go('drill-report', drill)).report).toContain('| Time to recover (RTO) | 12.5 s | 3600 s |')
  })
  it('fails where it took too long or too much could be lost', async () => {
    await expect(go('drill-report', { ...drill, max_recovery_s: 10 })).rejects.toThrow(
      'recovery took 12.5 s, and may take 10 s',
    )
    await expect(go('drill-report', { ...drill, max_data_age_s: 3600 })).rejects.toThrow(
      'the backup before is 86400 s older, and 3600 s may be lost',
    )
  })
})
