import { execFile } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { programArgs } from '#platform/program/program-args.ts'
import { createDb } from '#store/db.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { testDatabase } from '#test/support/file-fixture.ts'

test('databases of one server can be migrated at the same time, though they share the service role', async () => {
  const databases = await Promise.all(Array.from({ length: 6 }, () => createTestDatabase(inject('postgres_url'))))
  expect(new Set(databases.map((database) => new URL(database.url).password)).size).toBe(1)
  for (const database of databases) await database.drop()
})

const superuser = ({ owner_url }: TestDatabase) => createDb(owner_url, { max: 1, name: 'svc-test-admin' })

interface Ended {
  code: number
  stdout: string
  stderr: string
}

function migrateMain(settings: Record<string, string>, ...flags: string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings }
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      programArgs('store/migrate-main.ts', ...flags),
      { env },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

test('the program that migrates answers with the url of the service role', async () => {
  const database = await createTestDatabase(inject('postgres_url'))
  const { code, stdout } = await migrateMain({ DATABASE_URL: database.owner_url }, '--print-url')
  expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { url: database.url } })
  const { stdout: output } = await migrateMain({ DATABASE_URL: database.owner_url })
  expect(output).toContain('The services connect to')
  expect(output).not.toContain(new URL(database.url).password)
  await database.drop()
})

describe('an owner of the database who is no superuser', () => {
  const owner = `owner_${process.pid}`
  let url: string
  const database = testDatabase()
  beforeAll(async () => {
    const admin = superuser(database)
    await admin.unsafe(
      `create role ${owner} login createrole password 'own'; grant svc_app to ${owner} with admin option`,
    )
    await admin.unsafe(`create database ${owner} owner ${owner}`)
    await admin.end()
    url = Object.assign(new URL(database.owner_url), { username: owner, password: 'own', pathname: `/${owner}` }).href
  })
  afterAll(async () => {
    const admin = superuser(database)
    await admin.unsafe(`drop database ${owner}`)
    await admin.unsafe(`drop role ${owner}`)
    await admin.end()
  })

  test('migrates twice, and its password stands in no statement', async () => {
    const settings = { DATABASE_URL: url, SVC_APP_PASSWORD: new URL(database.url).password }
    for (const _time of ['first', 'again']) {
      const { code, stdout, stderr } = await migrateMain(settings, '--print-url')
      expect([code, stderr]).toEqual([0, ''])
      const app = createDb(JSON.parse(stdout).url, { max: 1, name: 'svc-test' })
      expect(await app`select current_user::text as me`).toEqual([{ me: 'svc_app' }])
      await app.end()
    }
  })

  test('is told what is missing where it may make no role', async () => {
    const admin = superuser(database)
    await admin.unsafe(`revoke svc_app from ${owner}`)
    const { code, stderr } = await migrateMain({ DATABASE_URL: url, SVC_APP_PASSWORD: 'x' })
    expect([code, stderr]).toEqual([77, expect.stringContaining(`grant svc_app to ${owner} with admin option`)])
    await admin.unsafe(`alter role ${owner} nocreaterole`)
    const { code: done, stdout } = await migrateMain({ DATABASE_URL: url })
    expect([done, stdout]).toEqual([0, expect.stringContaining('who may change the record')])
    await admin.end()
  })
})

test('the program that migrates refuses a database of an unreleased build with one sentence', async () => {
  const database = await createTestDatabase(inject('postgres_url'))
  const admin = superuser(database)
  await admin.unsafe('alter table schema_migrations rename to kysely_migration')
  await admin.end()
  const { code, stderr } = await migrateMain({ DATABASE_URL: database.owner_url })
  expect([code, stderr]).toEqual([
    77,
    expect.stringMatching(/^This database was made by an unreleased build of svc, .* Next: make a new one .*\.\n$/),
  ])
  await database.drop()
})

test('the program that migrates refuses wrong settings as every other program does, and hides the password', async () => {
  const wrong = { DATABASE_URL: 'mysql://me:hunter2@db/svc', SVC_APP_PASSWORD: 'hunter2', SVC_PORT: 'many' }
  const { code, stderr } = await migrateMain(wrong)
  expect(code).toBe(78)
  expect(stderr).toContain('DATABASE_URL is a hidden value')
  expect(stderr).toContain('SVC_PORT is "many"')
  expect(stderr).not.toContain('hunter2')
})
