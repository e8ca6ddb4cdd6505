import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createDb, type Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { readMigrations } from '#store/read-sql.ts'
import { runMigrations } from '#store/run-migrations.ts'
import { schemaReadiness } from '#store/schema-readiness.ts'
import { createTestDatabase } from '#test/support/database.ts'

const FIRST = { name: '0001_first', text: 'create table first (id integer); insert into first values (1);' }
const SECOND = { name: '0002_second', text: 'alter table first add column word text;' }
const BROKEN = { name: '0002_broken', text: 'create table second (id integer); select * from nothing;' }

let admin: Db
let db: Db
let name: string
let url: string

beforeEach(async () => {
  name = `migrations_${randomBytes(6).toString('hex')}`
  admin = createDb(inject('postgres_url'), { max: 1 })
  await admin.unsafe(`create database ${name}`)
  url = Object.assign(new URL(inject('postgres_url')), { pathname: `/${name}` }).href
  db = createDb(url, { max: 8 })
})
afterEach(async () => {
  await db.end()
  await admin.unsafe(`drop database ${name} with (force)`)
  await admin.end()
})

const applied = async () =>
  (await db<{ name: string }[]>`select name from schema_migrations order by name`).map((each) => each.name)

describe('migrations', () => {
  test('are applied once each, in the order of their names, by any number of processes', async () => {
    await Promise.all(Array.from({ length: 8 }, () => runMigrations(db, [FIRST, SECOND])))
    expect(await applied()).toEqual(['0001_first', '0002_second'])
    expect(await db`select id, word from first`).toEqual([{ id: 1, word: null }])
  })

  test('that are new are applied after those of an older release', async () => {
    await runMigrations(db, [FIRST])
    await runMigrations(db, [FIRST, SECOND])
    expect(await applied()).toEqual(['0001_first', '0002_second'])
  })

  test('leave nothing behind where one of their statements fails', async () => {
    await expect(runMigrations(db, [FIRST, BROKEN])).rejects.toThrow('relation "nothing" does not exist')
    expect(await applied()).toEqual(['0001_first'])
    expect(await db`select to_regclass('second')::text as second`).toEqual([{ second: null }])
  })

  test('are refused where the file of one that was applied has changed since', async () => {
    await runMigrations(db, [FIRST])
    const edited = { ...FIRST, text: `${FIRST.text} -- edited` }
    await expect(runMigrations(db, [edited, SECOND])).rejects.toThrow(
      /^The migration 0001_first differs from the one that this database was made with\. Next: /,
    )
    expect(await applied()).toEqual(['0001_first'])
  })

  test('are refused where a newer release has migrated', async () => {
    await runMigrations(db, [FIRST, SECOND])
    await expect(runMigrations(db, [FIRST])).rejects.toThrow(
      /^The database has the migration 0002_second, which this release does not know\. Next: /,
    )
  })

  test('are refused where one comes before another that was applied already', async () => {
    await runMigrations(
      db,
      [SECOND].map((file) => ({ ...file, text: FIRST.text })),
    )
    await expect(runMigrations(db, [FIRST, { ...SECOND, text: FIRST.text }])).rejects.toThrow(
      'the migration 0001_first comes before 0002_second',
    )
  })
})

test('any number of processes bring an empty database to the schema', async () => {
  const processes = await Promise.all(Array.from({ length: 6 }, () => migrate(url)))
  expect(new Set(processes.map((each) => each.url)).size).toBe(1)
  expect(await applied()).toEqual(readMigrations().map((file) => file.name))
  expect(await schemaReadiness(url, { connections: 1 })).toEqual({ ready: true })
})

describe('a database that an unreleased build has migrated', () => {
  const sentence =
    /^This database was made by an unreleased build of svc, and cannot be upgraded\. Next: make a new one/
  beforeEach(async () => {
    await db.unsafe('create table audit_outbox (id bigint); create table kysely_migration (name text)')
    await db`insert into kysely_migration values ('0100_members_of_workspaces')`
  })

  test('is not migrated, and nothing is changed', async () => {
    await expect(migrate(url)).rejects.toThrow(sentence)
    const tables = await db`select relname from pg_class where relnamespace = 'public'::regnamespace order by 1`
    expect(tables).toEqual([{ relname: 'audit_outbox' }, { relname: 'kysely_migration' }])
  })

  test('is refused by a process that starts', async () => {
    expect(await schemaReadiness(url, { connections: 1 })).toEqual({
      ready: false,
      refuse: expect.stringMatching(sentence),
    })
  })
})

test('a table of migrations that somebody else keeps beside the schema is none of an unreleased build', async () => {
  const database = await createTestDatabase(inject('postgres_url'))
  const owner = createDb(database.owner_url, { max: 1 })
  await owner`create table kysely_migration (name text)`
  expect(await schemaReadiness(database.url, { connections: 1 })).toEqual({ ready: true })
  expect(await migrate(database.owner_url)).toMatchObject({ url: database.url })
  await owner.end()
  await database.drop()
})

test('a database whose functions were not applied yet has no schema of a release', async () => {
  const database = await createTestDatabase(inject('postgres_url'))
  const owner = createDb(database.owner_url, { max: 1 })
  await owner`update applied_functions set digest = ''`
  const refuse = expect.stringMatching(/^The schema at \S+ is at nothing, and this release needs /)
  expect(await schemaReadiness(database.url, { connections: 1 })).toEqual({ ready: false, refuse })
  await migrate(database.owner_url)
  expect(await schemaReadiness(database.url, { connections: 1 })).toEqual({ ready: true })
  await owner.end()
  await database.drop()
})
