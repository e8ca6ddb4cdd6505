import { beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { createScratch } from '#test/store/operators/create-scratch.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { runTemplate, type TemplateRun } from '#test/support/run-template.ts'

/** Names that a table, a column or a view may have, each of which is SQL, an expression or a template somewhere. */
const NAMES = [
  `it's`,
  `\\'; drop table sales.kept; --`,
  '"; drop table sales.kept; --',
  `'); drop table sales.kept; --`,
  '/* ',
  '$$',
  '%s %I %% %1$s',
  '\u0024{{ inputs.table }}',
  '{{ 6 | times: 7 }}{% raw %}',
  'two\nlines',
  'current_user',
  ' ',
  'Größe ①',
  'x'.repeat(63),
]
/** Those that would end the statement which is shown and executed. */
const ENDING = ['$publish$; drop table sales.kept; --', 'a$publish$publish$b']

const target = fileFixture(createScratch)
beforeEach(async () => {
  await target.sql.unsafe(`
    drop schema if exists sales cascade; create schema sales;
    create table sales.kept (id int); insert into sales.kept values (1)`)
})

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const go = (template: string, inputs: JsonObject): Promise<TemplateRun> =>
  runTemplate({ template, connections: { datasets: target.url, maintenance: target.url }, inputs })

/** A table and a column of this name, and the name of a view that has it too. */
async function makeTable(name: string) {
  const table = `sales.${quoted(name)}`
  const column = quoted(name)
  await target.sql.unsafe(
    `create table ${table} (id int primary key, ${column} text); insert into ${table} values (1, 'x'), (2, null)`,
  )
  return { table, view: `sales.${quoted(`v${name}`.slice(0, 60))}` }
}

async function relations(): Promise<string[]> {
  const rows = await target.sql<{ relname: string }[]>`
    select relname from pg_class where relnamespace = 'sales'::regnamespace and relkind in ('r', 'v') order by relname`
  return rows.map(({ relname }) => relname)
}

/** What nobody asked for has not happened. */
async function expectKept(...others: string[]) {
  expect(await target.sql`select count(*)::int as rows from sales.kept`).toEqual([{ rows: 1 }])
  expect((await relations()).toSorted()).toEqual(['kept', ...others].toSorted())
}

describe('a name that could be something else', () => {
  it.each(NAMES)('is read, checked, published, withdrawn and quarantined as a name: %j', async (name) => {
    const { table, view } = await makeTable(name)
    const profiled = await go('data/dataset-profile', { table })
    expect(profiled.outputs['columns']).toMatchObject([
      { name: 'id', nulls: 0 },
      { name, nulls: 1 },
    ])
    const checked = await go('data/dataset-checks', { table, not_null: [name], unique: [[name, 'id']] })
    expect(checked.outputs).toMatchObject({ rows: 2, failed: [`not_null of ${name}: 1 rows are null`] })
    const { digest } = checked.outputs
    const published = await go('data/dataset-publish', { view, table, digest: String(digest) })
    const [look] = published.steps['look']?.outputs.rows ?? []
    expect(published.outputs).toMatchObject({ version: look?.['relation'] })
    const [shown] = await target.sql.unsafe(`select * from ${view} where id = 1`)
    expect(shown).toEqual({ id: 1, [name]: 'x' })
    const viewName = `v${name}`.slice(0, 60)
    await expectKept(name, viewName, 'svc_dataset_versions')
    const withdrawn = await go('data/dataset-withdraw', { view, table })
    expect(withdrawn.outputs).toMatchObject({ withdrawn: true })
    await expectKept(name, 'svc_dataset_versions')
    await go('data/dataset-quarantine', { view, table, failed: [name, `'); drop table sales.kept; --`] })
    const [row] = await target.sql`select status, failed from sales.svc_dataset_versions`
    expect(row).toEqual({ status: 'quarantined', failed: [name, `'); drop table sales.kept; --`] })
    await expectKept(name, 'svc_dataset_versions')
  })

  it.each(ENDING)('is refused before anybody is asked where it would end the statement: %j', async (name) => {
    const { table, view } = await makeTable(name)
    const { outputs } = await go('data/dataset-checks', { table })
    const publishing = go('data/dataset-publish', { view, table, digest: String(outputs['digest']) })
    await expect(publishing).rejects.toThrow('which ends the statement')
    await expectKept(name)
  })

  it('is refused where a check that failed would end the statement', async () => {
    const { table, view } = await makeTable('plain')
    const failed = ['$quarantine$; drop table sales.kept; --']
    await expect(go('data/dataset-quarantine', { view, table, failed })).rejects.toThrow('which ends the statement')
    await expectKept('plain')
  })

  it.each(NAMES.slice(0, 4))('is maintained, and an index of it left alone, as a name: %j', async (name) => {
    const { table } = await makeTable(name)
    const index = `i${name}`.slice(0, 60)
    await target.sql.unsafe(`create index ${quoted(index)} on ${table} (id)`)
    const maintained = await go('db/maintenance', { table, action: 'vacuum_analyze' })
    expect(maintained.shown).toHaveLength(1)
    await expect(go('db/drop-invalid-index', { index: `sales.${quoted(index)}` })).rejects.toThrow('is left alone')
    await expectKept(name)
  })

  it.each([
    'kept; drop table sales.kept',
    'sales.kept; --',
    'sales.kept where true',
    '(select 1)',
    'sales."kept',
    'sales.kept"',
    'a.b.c',
    "sales.'kept'",
    'sales.kept\n',
    '',
  ])('is none at all, and goes to no server: %j', async (table) => {
    for (const template of ['data/dataset-profile', 'data/dataset-checks'])
      await expect(go(template, { table })).rejects.toThrow()
    await expect(go('db/maintenance', { table, action: 'vacuum' })).rejects.toThrow()
    await expectKept()
  })

  it('is no time either: a session is bound to what one can be', async () => {
    const inputs = { pid: 1, backend_start: `'; drop table sales.kept; --`, action: 'terminate' }
    await expect(go('db/end-session', inputs)).rejects.toThrow()
    await expectKept()
  })
})
