import { randomBytes } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { createDb } from '#store/db.ts'
import { thisRelease } from '#store/schema-problem.ts'
import { schemaReadiness } from '#store/schema-readiness.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'

const NEWER = '9999_of_a_newer_release'

const database = testDatabase()
const owner = fileFixture(() => createDb(database.owner_url, { max: 2 }))

const look = (url = database.url, asked: { connections?: number; release?: string } = {}) =>
  schemaReadiness(url, { connections: 1, ...asked })

describe('a process that starts', () => {
  test('begins on the schema of its release', async () => {
    expect(await look()).toEqual({ ready: true })
    expect(await look(database.owner_url)).toEqual({ ready: true })
  })

  test('is told which schema is there, which it needs and how it gets there', async () => {
    const refuse = expect.stringMatching(
      /^The schema at \S+ is at \d{4}_\w+, and this release needs 9999_of_a_newer_release\. Next: migrate .*migrate-main\.ts$/,
    )
    expect(await look(database.url, { release: NEWER })).toEqual({ ready: false, refuse })
  })

  test('waits while somebody migrates', async () => {
    const migrating = createDb(database.owner_url, { max: 1, name: 'svc-migrate' })
    await migrating`select 1`
    const wait = expect.stringMatching(/needs 9999_of_a_newer_release; a migration is under way$/)
    expect(await look(database.url, { release: NEWER })).toEqual({ ready: false, wait })
    await migrating.end()
  })

  test('of an older release begins on a newer schema that is still for it, and not on another', async () => {
    await owner`insert into schema_migrations (name, digest) values (${NEWER}, '')`
    expect(await look()).toEqual({
      ready: true,
      note: expect.stringContaining(`newer than this release (${thisRelease()})`),
    })
    await owner`update applied_functions set oldest_release = ${NEWER}`
    const refuse = expect.stringContaining(`for releases from ${NEWER} on, and this one is ${thisRelease()}`)
    expect(await look()).toEqual({ ready: false, refuse })
    await owner`delete from schema_migrations where name = ${NEWER}`
    await owner`update applied_functions set oldest_release = ''`
  })

  test('is told that there is no schema', async () => {
    const name = `empty_${randomBytes(6).toString('hex')}`
    await owner.unsafe(`create database ${name}`)
    const url = Object.assign(new URL(database.owner_url), { pathname: `/${name}` }).href
    expect(await look(url)).toEqual({ ready: false, refuse: expect.stringContaining('has no schema yet') })
    await owner.unsafe(`drop database ${name}`)
  })

  test.each([
    ['grant execute on function forget_runs to public', 'everybody has EXECUTE on function forget_runs('],
    ['revoke all on schema_migrations from svc_app', 'svc_app lacks SELECT on table schema_migrations'],
    ['revoke usage on schema public from svc_app, public', 'svc_app lacks USAGE on schema public'],
  ])('does not begin where the rights are not those of the release (%s)', async (change, message) => {
    const own = await createTestDatabase(inject('postgres_url'))
    const admin = createDb(own.owner_url, { max: 1 })
    await admin.unsafe(change)
    const found = await look(own.url)
    expect(found).toEqual({
      ready: false,
      refuse: expect.stringMatching(/Next: migrate as the owner .*migrate-main\.ts$/),
    })
    expect('refuse' in found ? found.refuse : '').toContain(message)
    await admin.end()
    await own.drop()
  })

  test('waits for a server that does not answer, and not for one that does not let it in', async () => {
    const at = (change: Partial<URL>) => Object.assign(new URL(database.url), change).href
    expect(await look(at({ port: '1' }))).toEqual({
      ready: false,
      wait: expect.stringMatching(/cannot be used \(ECONNREFUSED\)$/),
    })
    expect(await look(at({ pathname: '/nowhere' }))).toEqual({
      ready: false,
      refuse: expect.stringContaining('(3D000)'),
    })
  })

  test('says when its connections will not fit', async () => {
    expect(await look(database.url, { connections: 100_000 })).toEqual({
      ready: true,
      note: expect.stringMatching(
        /opens up to 100000 connections, and the server at \S+ has \d+ left: raise max_connections/,
      ),
    })
  })
})
