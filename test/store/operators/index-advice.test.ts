import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Postgres15, startPostgres15 } from '#test/support/postgres-15.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { runDbTemplate } from '#test/support/run-template.ts'

describe('advice to drop an index on the server that we ship', () => advises(() => inject('postgres_url')))

describe('advice to drop an index on PostgreSQL 15', needs('postgres15'), () => {
  let server: Postgres15
  beforeAll(async () => {
    server = await startPostgres15(programOf('postgres15'))
  })
  afterAll(() => server.stop())
  advises(() => server.url)
})

/** Each index whose name ends in `_spare` may go; everything else is needed for something. */
const KINDS = `
  create table plain (id int primary key, a int not null, b text, c int);
  create index plain_a on plain (a);
  create index plain_a_spare on plain (a);
  create unique index plain_id_spare on plain (id);
  create index plain_id_unsorted_spare on plain (id);
  create index plain_unused_spare on plain (c desc);

  create table published (id int not null, a int not null);
  create unique index published_a on published (id);
  create unique index published_identity on published (id);
  alter table published replica identity using index published_identity;
  create publication published_only for table published;

  create table nulls (a int, b int);
  create unique index nulls_distinct on nulls (a);
  create unique index nulls_alike on nulls (a) nulls not distinct;

  create table parted (id int not null, a int) partition by range (id);
  create table parted_1 partition of parted for values from (0) to (100);
  create index parted_a on parted (a);
  create index parted_a_again on parted (a);
  create unique index parted_id on parted (id);

  create table target (id int not null, code int not null, constraint target_later primary key (id) deferrable initially deferred);
  create unique index target_now on target (id);
  create unique index target_code on target (code);
  create table pointing (target int references target (code) on delete cascade, also int);
  create index pointing_target on pointing (target);
  create unique index target_code_spare on target (code);

  create table sorted (id int, a int);
  create index sorted_first on sorted (a);
  create index sorted_clustered on sorted (a);
  cluster sorted using sorted_clustered;

  create table booked (a int, constraint booked_once exclude using btree (a with =));

  create table differs (a text, b int, c int);
  create index differs_plain on differs (a);
  create index differs_pattern on differs (a text_pattern_ops);
  create index differs_collated on differs (a collate "C");
  create index differs_some on differs (a) where b > 0;
  create index differs_included on differs (a) include (b);
  create index differs_lower on differs (lower(a));
  create unique index differs_unique_some on differs (a) where b > 5;
  create index differs_hash on differs using hash (a);

  create table hung (id int not null, a int) partition by range (id);
  create table hung_1 partition of hung for values from (0) to (100);
  create index hung_a on only hung (a);
  insert into hung values (1, 1), (2, 1);

  create table failed (a int);
  insert into failed values (1), (1);`

/** What the application of these tables does every day; each ends with what it found. */
const DAILY = [
  `delete from published where id = 1 returning id`,
  `update published set a = 2 where id = 2 returning id`,
  `insert into nulls values (null, 1) on conflict do nothing`,
  `insert into nulls values (7, 1) on conflict (a) do nothing`,
  `insert into target values (1, 1) on conflict (code) do nothing`,
  `insert into plain values (1, 1, 'x', 1) on conflict (id) do update set a = 2 returning id`,
  `insert into parted values (5, 1) on conflict (id) do nothing returning id`,
  `delete from target where code = 9 returning id`,
  `insert into booked values (4) on conflict do nothing`,
  `cluster sorted`,
]

/** What must be refused, before and after. */
const REFUSED = [
  `insert into nulls values (null, 2), (null, 3)`,
  `insert into plain values (3, 1), (3, 2)`,
  `insert into booked values (5), (5)`,
  `insert into parted values (9, 1), (9, 2)`,
  `insert into pointing values (77)`,
  `insert into differs values ('x', 9), ('x', 9)`,
]

function advises(serverUrl: () => string): void {
  let admin: postgres.Sql
  let sql: postgres.Sql
  let url: string
  const name = `advice_${Date.now().toString(36)}`
  beforeAll(async () => {
    admin = postgres(serverUrl(), { max: 1, onnotice: () => undefined })
    await admin.unsafe(`create database ${name}`)
    url = Object.assign(new URL(serverUrl()), { pathname: `/${name}` }).href
    sql = postgres(url, { max: 1, onnotice: () => undefined })
    await sql.unsafe(KINDS)
    await sql.unsafe('create unique index concurrently failed_a on failed (a)').catch(() => undefined)
    await sql.unsafe('create unique index concurrently hung_failed on hung_1 (a)').catch(() => undefined)
    // an invalid index of a partition is attached, and belongs to its parent all the same
    await sql.unsafe('create index hung_1_a on hung_1 (a)')
    await sql.unsafe('alter index hung_a attach partition hung_1_a')
    await sql.unsafe(`update pg_index set indisvalid = false where indexrelid = 'hung_1_a'::regclass`)
    for (const statement of DAILY) await sql.unsafe(statement)
    await sql.unsafe('analyze')
  })
  afterAll(async () => {
    await sql.end()
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
  })

  it('is harmless, no matter what the index is for: all of it is followed, and everything goes on as before', async () => {
    const shape = await constraints(sql)
    const checked = await runDbTemplate('maintenance-check', url, { min_size_mb: 0 })
    const findings = checked.outputs['findings'] as { finding: string; todo: string }[]
    const todos = findings.filter(({ finding }) => finding.startsWith('index ')).map(({ todo }) => todo)
    const dropped = todos.flatMap((todo) => /DROP INDEX CONCURRENTLY public\.(\S+)/.exec(todo)?.[1] ?? [])
    const remaining = await sql`select indexrelid::regclass::text as name from pg_index
      join pg_class on oid = indexrelid where indexrelid::regclass::text like '%\\_spare'`
    expect(dropped).toEqual(expect.arrayContaining(remaining.map(({ name: spare }) => spare)))
    for (const kept of KEPT) expect(dropped).not.toContain(kept)
    for (const index of dropped) await sql.unsafe(`drop index concurrently ${index}`)

    const invalid = todos.flatMap((todo) => /db\/drop-invalid-index, index public\.(\w+)/.exec(todo)?.[1] ?? [])
    expect(invalid.sort()).toEqual(['failed_a', 'hung_failed'])
    for (const index of invalid) await runDbTemplate('drop-invalid-index', url, { index })
    const rebuilt = todos.filter((todo) => todo === 'db/maintenance, table public.hung_1_a, action reindex')
    expect(rebuilt).toHaveLength(1)
    await expect(runDbTemplate('drop-invalid-index', url, { index: 'hung_1_a' })).rejects.toThrow(
      'Rebuild it: db/maintenance, table public.hung_1_a, action reindex',
    )
    await runDbTemplate('maintenance', url, { table: 'public.hung_1_a', action: 'reindex' })

    for (const statement of DAILY) await sql.unsafe(statement)
    for (const statement of REFUSED) await expect(sql.unsafe(statement), statement).rejects.toThrow()
    expect(await constraints(sql)).toEqual(shape)
    const again = await runDbTemplate('maintenance-check', url, { min_size_mb: 0 })
    expect(JSON.stringify(again.outputs['findings'])).not.toMatch(/invalid|is the same as/)
  })
}

/** Some index of each kind that must stay, though nobody read through it or another one looks the same. */
const KEPT = [
  ...['published_identity', 'nulls_distinct', 'nulls_alike', 'parted_1_a_idx', 'parted_1_a_idx1', 'parted_1_id_idx'],
  ...['target_now', 'target_later', 'target_code', 'pointing_target', 'sorted_clustered', 'booked_once', 'plain_pkey'],
  ...['differs_lower', 'differs_unique_some'],
]

const constraints = (sql: postgres.Sql) => sql`
  select conrelid::regclass::text as of, conname, pg_get_constraintdef(oid) as says, convalidated
  from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`
