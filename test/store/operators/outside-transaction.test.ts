import { beforeAll, describe, expect, it } from 'vitest'
import { postgresExecute } from '#activities/operators/postgres/execute.ts'
import { checkInput } from '#core/plan/check-input.ts'
import { outsideTransaction } from '#core/sql/outside-transaction.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { createScratch } from './create-scratch.ts'

beforeAll(() => postgresExecute.ready?.())
const db = fileFixture(createScratch)
beforeAll(() =>
  db.sql.unsafe(`create table item (id int primary key, "vacuum" text); create index named on item ("vacuum");
    create table parted (id int) partition by range (id); create table part partition of parted for values from (0) to (9)`),
)

/** What the server says to a statement inside of a transaction: true where it must stand alone. */
async function refused(sql: string): Promise<boolean> {
  const session = await db.sql.reserve()
  try {
    await session.unsafe('begin')
    await session.unsafe(sql)
    return false
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return code === '25001' && message.includes('transaction block')
  } finally {
    await session.unsafe('rollback')
    session.release()
  }
}

describe('a statement that PostgreSQL refuses inside of a transaction is known without asking it', () => {
  it.each([
    'vacuum item',
    ' /* why /* not */ -- */ VACUUM (analyze) item',
    `-- it's a comment\nvacuum\tfull item;`,
    'create index concurrently on item ("vacuum")',
    'CREATE UNIQUE INDEX CONCURRENTLY again ON item (id)',
    'drop index concurrently named',
    'reindex table concurrently item',
    'reindex (verbose, concurrently) index named',
    'reindex schema public',
    'reindex (verbose) system',
    'create database other',
    'drop database if exists other',
    `create tablespace fast location '/nowhere'`,
    'drop tablespace if exists fast',
    `alter system set work_mem = '4MB'`,
    'alter database template1 set tablespace pg_default',
    'cluster',
    'cluster verbose;',
    'alter table parted detach partition part concurrently',
    `create subscription s connection 'host=nowhere' publication p`,
  ])('%s', async (sql) => {
    expect(await refused(sql)).toBe(true)
    expect(outsideTransaction(sql)).toBeTypeOf('string')
    const message = `${outsideTransaction(sql)} cannot run inside a transaction: set transaction: false`
    const input = { connection: 'main', sql }
    expect(() => postgresExecute.parse(input)).toThrow(message)
    expect(checkInput(input, postgresExecute, ['steps', 0, 'with'])).toEqual([
      { path: ['steps', 0, 'with', 'sql'], message },
    ])
    const alone = { ...input, transaction: false }
    expect(postgresExecute.parse(alone)).toEqual(alone)
    expect(checkInput(alone, postgresExecute, [])).toEqual([])
  })

  it.each([
    'analyze item',
    'create index on item (id)',
    'create index "concurrently" on item (id)',
    'drop index named',
    'reindex table item',
    'reindex (concurrently false) table item',
    'select $$vacuum$$',
    `select 'vacuum' -- vacuum`,
    'delete from item where "vacuum" = $1',
    "comment on table item is 'drop database'",
    'alter table parted detach partition part',
    `create subscription s connection 'host=nowhere' publication p with (connect = false)`,
  ])('and nothing else is: %s', async (sql) => {
    expect(await refused(sql.replace('= $1', 'is null'))).toBe(false)
    expect(outsideTransaction(sql)).toBeUndefined()
  })
})

it('is said of a template as far as it is written out', () => {
  const faults = (sql: string, more = {}) =>
    checkInput({ connection: 'main', sql, ...more }, postgresExecute, []).map(({ message }) => message)
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: expressions of a template
  expect(faults('DROP INDEX CONCURRENTLY ${{ steps.before.outputs.rows[0].relation }}')).toEqual([
    'DROP INDEX CONCURRENTLY cannot run inside a transaction: set transaction: false',
  ])
  expect(faults('${{ inputs.command }} item')).toEqual([])
  expect(faults('vacuum item', { transaction: '${{ inputs.transaction }}' })).toEqual([])
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: expressions of a template
})
