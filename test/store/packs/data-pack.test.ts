import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { runTemplate } from '#test/support/run-template.ts'
import { createScratch, type Scratch } from '../operators/create-scratch.ts'

const VIEW = 'sales."Orders"'
const databases: Scratch[] = []
let target: Scratch

beforeEach(async () => {
  target = await createScratch(inject('postgres_url'))
  databases.push(target)
  await target.sql.unsafe(`
    create schema sales;
    create table sales.orders_1 (id int, region text, amount numeric(10, 2), placed_at timestamptz);
    insert into sales.orders_1 select n, 'north', n, now() - make_interval(hours => n::int) from generate_series(1, 20) n;
    create table sales.orders_2 (like sales.orders_1);
    insert into sales.orders_2 select n + 20, 'south', n, now() - make_interval(hours => n::int) from generate_series(1, 21) n`)
})
afterAll(async () => {
  for (const each of databases) await each.drop()
})

const go = (template: string, inputs: JsonObject, url = target.url) =>
  runTemplate({ template: `data/${template}`, connections: { datasets: url }, inputs })
const check = (table: string, inputs: JsonObject = {}) => go('dataset-checks', { table, view: VIEW, ...inputs })
const digestOf = async (table: string) => String((await check(table)).outputs['digest'])
const publish = async (table: string, inputs: JsonObject = {}) =>
  go('dataset-publish', { view: VIEW, table, digest: await digestOf(table), ...inputs })
const withdraw = (table: string) => go('dataset-withdraw', { view: VIEW, table })
const status = async () =>
  Object.fromEntries(
    (
      await target.sql<{ version: string; status: string }[]>`select version, status from sales.svc_dataset_versions`
    ).map((row) => [row.version, row.status]),
  )
const regions = async () =>
  (await target.sql<{ region: string }[]>`select distinct region from sales."Orders"`).map(({ region }) => region)

/** A role that may log in, and what it may do; answers its url. */
async function asRole(role: string, grants: string): Promise<string> {
  await target.sql.unsafe(`create role ${role} login password 'x'; ${grants}`)
  const url = new URL(target.url)
  url.username = role
  url.password = 'x'
  return url.href
}
const dropRole = (role: string) => target.sql.unsafe(`drop owned by ${role}; drop role ${role}`)

describe('data/dataset-profile', () => {
  it('counts rows, nulls and distinct values of columns of every type', async () => {
    await target.sql.unsafe(`
      create type sales.mood as enum ('calm', 'cross');
      create domain sales.mail as text;
      create table sales."Odd | one" (id int, "na|me" varchar(20), m sales.mood, e sales.mail, j json, d jsonb, a int[], p point, r int4range, u uuid);
      insert into sales."Odd | one" values (1, 'x', 'calm', 'a@b', '{}', '{}', '{1}', '(1,1)', '[1,2]', gen_random_uuid());
      insert into sales."Odd | one" (id) values (2), (2)`)
    const { outputs, report } = await go('dataset-profile', { table: 'sales."Odd | one"' })
    const of = (name: string) => (outputs['columns'] as JsonObject[]).find((each) => each['name'] === name)
    expect(outputs).toMatchObject({ table: 'sales."Odd | one"', rows: 3 })
    expect(of('id')).toMatchObject({ nulls: 0, null_share: 0, different: 2, smallest: '1', largest: '2' })
    expect(of('m')).toMatchObject({ type: 'sales.mood', nulls: 2, null_share: 0.6667, different: 1, smallest: 'calm' })
    expect(of('j')).toMatchObject({ nulls: 2, different: null, smallest: null })
    expect(report).toContain('**3 rows**, 10 columns')
    expect(report).toContain('| na¦me | character varying(20) | 2 | 66.67 % | 1 | x | x |')
  })

  it('counts an empty table, and shows no values where they are not to be shown', async () => {
    await target.sql.unsafe('create table sales.empty (id int)')
    expect((await go('dataset-profile', { table: 'sales.empty' })).outputs).toMatchObject({
      rows: 0,
      columns: [{ name: 'id', nulls: 0, null_share: 0, different: 0 }],
    })
    const hidden = await go('dataset-profile', { table: 'sales.orders_1', show_values: false })
    expect(JSON.stringify([hidden.outputs, hidden.report])).not.toContain('north')
  })

  it('says which table is gone, has no columns, or may not be read', async () => {
    await expect(go('dataset-profile', { table: 'sales.gone' })).rejects.toThrow('there is no table sales.gone')
    await target.sql.unsafe('create table sales.hollow ()')
    await expect(go('dataset-profile', { table: 'sales.hollow' })).rejects.toThrow('sales.hollow has no columns')
    const url = await asRole('data_blind', 'grant usage on schema sales to data_blind')
    await expect(go('dataset-profile', { table: 'sales.orders_1' }, url)).rejects.toThrow(
      'role data_blind may not read sales.orders_1: grant select on it',
    )
    await dropRole('data_blind')
  })
})

describe('data/dataset-checks', () => {
  it('holds a sound version against all that is expected', async () => {
    const { outputs, report } = await check('sales.orders_1', {
      min_rows: 20,
      not_null: ['id', 'amount'],
      unique: ['id', ['region', 'amount']],
      ranges: [
        { column: 'amount', min: 1, max: 20 },
        { column: 'placed_at', min: '2020-01-01' },
      ],
      fresh_column: 'placed_at',
      fresh_within_h: 2,
    })
    expect(outputs).toMatchObject({ ok: true, failed: [], checked: 8, rows: 20 })
    expect(report).toContain('**every check holds**')
    expect(report).toContain('`sales."Orders"` is not there yet: there was nothing to compare with')
  })

  it('names each expectation that does not hold, and columns that are not there', async () => {
    await target.sql.unsafe(`insert into sales.orders_1 values (1, null, -5, null)`)
    const { outputs } = await check('sales.orders_1', {
      min_rows: 100,
      not_null: ['region', 'nope'],
      unique: ['id', 'gone'],
      ranges: [{ column: 'amount', min: 0, max: 10 }],
      fresh_column: 'placed_at',
      fresh_within_h: 0.5,
    })
    expect(outputs).toMatchObject({ ok: false })
    expect(outputs['failed']).toEqual([
      'min_rows: 21 rows, at least 100 expected',
      'not_null of region: 1 rows are null',
      'not_null of nope: there is no such column',
      'unique of id: 1 rows repeat another one',
      'unique of gone: there is no column gone',
      'range of amount: 11 rows are not within 0 and 10',
      'fresh of placed_at: the latest row is 1 h old, at most 0.5 h expected',
    ])
  })

  it('takes an empty table for one that has too few rows, and is stale', async () => {
    await target.sql.unsafe('truncate sales.orders_2')
    const { outputs } = await check('sales.orders_2', { fresh_column: 'placed_at' })
    expect(outputs['failed']).toEqual([
      'min_rows: 0 rows, at least 1 expected',
      'fresh of placed_at: the latest row is ? h old, at most 24 h expected',
    ])
  })

  it('tells drift from what people read now: rows, nulls, columns gone and of another type', async () => {
    await publish('sales.orders_1')
    const drift = { max_row_change_percent: 10, max_null_change_points: 5 }
    expect((await check('sales.orders_2', drift)).outputs).toMatchObject({ ok: true })
    await target.sql.unsafe(`
      delete from sales.orders_2 where id > 30;
      update sales.orders_2 set region = null where id = 25;
      alter table sales.orders_2 drop column placed_at;
      alter table sales.orders_2 alter column amount type text`)
    expect((await check('sales.orders_2', drift)).outputs['failed']).toEqual([
      'columns: column amount was numeric(10,2) and is text; column placed_at is gone',
      'row_change: the number of rows changed by -50 %, at most 10 % expected',
      'null_change of region: its share of nulls changed by 10 points, at most 5 expected',
    ])
  })

  it('gives the same digest for the same rows in any order, and another one for other rows, types and names', async () => {
    const first = await digestOf('sales.orders_1')
    await target.sql.unsafe(`
      create table sales.turned as select * from sales.orders_1 order by id desc;
      create table sales.other as select * from sales.orders_1 union all select * from sales.orders_1 where id = 1;
      create table sales.renamed as select id, region as area, amount, placed_at from sales.orders_1`)
    expect(await digestOf('sales.turned')).toBe(first)
    expect(await digestOf('sales.other')).not.toBe(first)
    expect(await digestOf('sales.renamed')).not.toBe(first)
  })

  it('quotes what could be SQL', async () => {
    await target.sql.unsafe(`create table sales."o'dd" ("a""b'c" text); insert into sales."o'dd" values ('x')`)
    const { outputs } = await go('dataset-checks', {
      table: `sales."o'dd"`,
      not_null: [`a"b'c`, `'; drop table sales.orders_1; --`],
      ranges: [{ column: `a"b'c`, min: `'); drop table sales.orders_1; --` }],
    })
    expect(outputs['failed']).toEqual([`not_null of '; drop table sales.orders_1; --: there is no such column`])
  })

  it('says which table is gone', async () => {
    await expect(check('sales.gone')).rejects.toThrow('there is no table sales.gone')
  })
})

describe('data/dataset-publish and its way back', () => {
  it('points the view, keeps the record, tells the bus, and is taken back version by version', async () => {
    const first = await publish('sales.orders_1')
    expect(first.shown[0]?.summary).toContain(
      'the template says: sales."Orders" will show sales.orders_1 instead of nothing: it is new',
    )
    expect(first.events).toEqual([
      {
        event: 'version_published',
        subject: 'sales."Orders"',
        data: {
          name: 'sales."Orders"',
          version: 'sales.orders_1',
          previous: '',
          digest: await digestOf('sales.orders_1'),
        },
      },
    ])
    expect(await regions()).toEqual(['north'])
    const second = await publish('sales.orders_2', { announce: false })
    expect(second.outputs).toMatchObject({ version: 'sales.orders_2', previous: 'sales.orders_1' })
    expect(second.events).toEqual([])
    expect(await regions()).toEqual(['south'])
    expect(await status()).toEqual({ 'sales.orders_1': 'superseded', 'sales.orders_2': 'current' })

    const back = await withdraw('sales.orders_2')
    expect(back.outputs).toEqual({ withdrawn: true, current: 'sales.orders_1' })
    expect(back.events).toMatchObject([{ event: 'version_withdrawn', data: { current: 'sales.orders_1' } }])
    expect(await regions()).toEqual(['north'])
    expect(await status()).toEqual({ 'sales.orders_1': 'current', 'sales.orders_2': 'withdrawn' })

    // a compensation that comes twice, or after nothing was published, has nothing to do and asks nobody
    const again = await withdraw('sales.orders_2')
    expect(again.outputs).toEqual({ withdrawn: false, current: 'sales.orders_1' })
    expect(again.shown).toEqual([])

    expect((await withdraw('sales.orders_1')).outputs).toEqual({ withdrawn: true, current: '' })
    await expect(regions()).rejects.toThrow('does not exist')
  })

  it('keeps the rights of readers, also where a column that was new has to go again', async () => {
    await target.sql.unsafe(`alter table sales.orders_2 add column note text; create role data_reader`)
    await publish('sales.orders_1')
    await target.sql.unsafe(`grant select on sales."Orders" to data_reader`)
    await publish('sales.orders_2')
    const back = await withdraw('sales.orders_2')
    expect(back.shown[0]?.summary).toContain('it loses note')
    expect(back.shown[0]?.command).toContain('grant SELECT on sales."Orders" to data_reader;')
    const [right] = await target.sql`select has_table_privilege('data_reader', 'sales."Orders"', 'select') as may`
    expect(right?.['may']).toBe(true)
    await dropRole('data_reader')
  })

  it('publishes nothing that is not what was checked', async () => {
    const digest = await digestOf('sales.orders_1')
    await target.sql.unsafe(`update sales.orders_1 set amount = 0 where id = 7`)
    await expect(go('dataset-publish', { view: VIEW, table: 'sales.orders_1', digest })).rejects.toThrow(
      'sales.orders_1 holds something else than what was checked; check it again',
    )
    const [left] =
      await target.sql`select to_regclass('sales.svc_dataset_versions') as record, to_regclass('sales."Orders"') as view`
    expect(left).toEqual({ record: null, view: null })
  })

  it('does not act where somebody published meanwhile: two that were asked for at once do not both count', async () => {
    await publish('sales.orders_1')
    await target.sql.unsafe('create table sales.orders_3 (like sales.orders_1)')
    const [two, three] = [await digestOf('sales.orders_2'), await digestOf('sales.orders_3')]
    const ends = await Promise.allSettled([
      go('dataset-publish', { view: VIEW, table: 'sales.orders_2', digest: two }),
      go('dataset-publish', { view: VIEW, table: 'sales.orders_3', digest: three }),
    ])
    const lost = ends.filter((each) => each.status === 'rejected')
    // where one was over before the other looked, both stand on what they were told
    for (const each of lost) expect(String(each.reason)).toContain('does not show any more what it showed')
    expect(Object.values(await status()).filter((each) => each === 'current')).toHaveLength(1)
  })

  it.each([
    ['a table of that name', 'create table sales."Orders" (id int)', 'was not published by this template'],
    ['a view of somebody', 'create view sales."Orders" as select 1 as id', 'was not published by this template'],
  ])('leaves %s alone', async (_what, made, message) => {
    const digest = await digestOf('sales.orders_1')
    await target.sql.unsafe(made)
    await expect(go('dataset-publish', { view: VIEW, table: 'sales.orders_1', digest })).rejects.toThrow(message)
  })

  it('says whose the view is, and what is missing, before anybody is asked', async () => {
    await publish('sales.orders_1')
    const digest = await digestOf('sales.orders_2')
    const url = await asRole(
      'data_other',
      'grant usage, create on schema sales to data_other; grant select, update on all tables in schema sales to data_other',
    )
    const refused = (inputs: JsonObject) =>
      expect(go('dataset-publish', { view: VIEW, table: 'sales.orders_2', digest, ...inputs }, url)).rejects
    await refused({}).toThrow(
      'role data_other may not replace sales."Orders", which belongs to postgres: grant postgres to data_other',
    )
    await expect(go('dataset-withdraw', { view: VIEW, table: 'sales.orders_1' }, url)).rejects.toThrow(
      'which belongs to postgres',
    )
    await target.sql.unsafe('revoke update on all tables in schema sales from data_other')
    await refused({}).toThrow('may not read sales.orders_2 and keep others from writing to it')
    await refused({ table: 'sales.gone' }).toThrow('there is no table sales.gone')
    await refused({ view: 'nowhere.orders' }).toThrow('there is no schema for nowhere.orders')
    await dropRole('data_other')
  })

  it('takes no column from people who read it', async () => {
    await publish('sales.orders_1')
    await target.sql.unsafe('alter table sales.orders_2 drop column region')
    await expect(publish('sales.orders_2')).rejects.toThrow(
      'people who read sales."Orders" would lose it: column region is gone',
    )
  })

  it('does not put back what is gone', async () => {
    await publish('sales.orders_1')
    await publish('sales.orders_2')
    await target.sql.unsafe('drop table sales.orders_1')
    await expect(withdraw('sales.orders_2')).rejects.toThrow(
      'sales.orders_1, which it showed before, is gone: nothing was changed',
    )
    expect(await regions()).toEqual(['south'])
  })
})

describe('data/dataset-quarantine and the report', () => {
  const failed = ["not_null of o'id: 3 rows are null", '100 %s']

  it('marks a version, which is not published any more until its content is another', async () => {
    const digest = await digestOf('sales.orders_2')
    const done = await go('dataset-quarantine', { view: VIEW, table: 'sales.orders_2', failed, digest })
    expect(done.events).toMatchObject([{ event: 'version_quarantined', data: { version: 'sales.orders_2', failed } }])
    const [row] = await target.sql`select status, failed, digest from sales.svc_dataset_versions`
    expect(row).toEqual({ status: 'quarantined', failed, digest })
    await expect(publish('sales.orders_2')).rejects.toThrow(
      /^sales\.orders_2 was quarantined with this very content by run_1: .*o'id/,
    )
    expect((await publish('sales.orders_2', { accept_quarantined: true })).outputs).toMatchObject({ previous: '' })
    await withdraw('sales.orders_2')
    await go('dataset-quarantine', { view: VIEW, table: 'sales.orders_2', failed, digest })
    await target.sql.unsafe('delete from sales.orders_2 where id = 21')
    expect((await publish('sales.orders_2')).outputs).toMatchObject({ version: 'sales.orders_2' })
  })

  it('does not quarantine what people read, or what is not there', async () => {
    await publish('sales.orders_1')
    await expect(go('dataset-quarantine', { view: VIEW, table: 'sales.orders_1', failed })).rejects.toThrow(
      'withdraw it first',
    )
    await expect(go('dataset-quarantine', { view: VIEW, table: 'sales.gone', failed })).rejects.toThrow(
      'there is no table sales.gone',
    )
  })

  it('reports what is on record, and tells the bus of nothing else', async () => {
    const report = (table: string, inputs: JsonObject = {}) => go('dataset-report', { view: VIEW, table, ...inputs })
    const unknown = await report('sales.orders_1')
    expect(unknown).toMatchObject({ outputs: { status: 'unknown', shows: '' }, events: [] })
    await publish('sales.orders_1', { announce: false })
    const published = await report('sales.orders_1', { rows: 20 })
    expect(published.report).toContain(
      '**Published**: `sales."Orders"` shows `sales.orders_1` with 20 rows, and showed nothing before',
    )
    expect(published).toMatchObject({
      outputs: { status: 'current', shows: 'sales.orders_1' },
      events: [{ event: 'version_published' }],
    })
    await go('dataset-quarantine', { view: VIEW, table: 'sales.orders_2', failed, announce: false })
    const quarantined = await report('sales.orders_2', { failed })
    expect(quarantined.report).toContain(
      '**Quarantined**: `sales."Orders"` shows `sales.orders_1`, and not `sales.orders_2`',
    )
    expect(quarantined).toMatchObject({
      outputs: { status: 'quarantined' },
      events: [{ event: 'version_quarantined', data: { failed } }],
    })
    expect((await report('sales.orders_2', { announce: false })).events).toEqual([])
  })
})
