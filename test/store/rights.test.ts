import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDb } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { findDifferences } from '#store/rights/apply-rights.ts'
import { readRights } from '#store/rights/read-rights.ts'
import { isOfRelease } from '#store/rights/release-rights.ts'
import { rightsInCatalogue } from '#test/support/catalogue-rights.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'

const WHOLE = { app: true, ask: true }
const STRANGER = `stranger_${process.pid}`
let fresh: string[]

const database = testDatabase()
const owner = fileFixture(() => createDb(database.owner_url, { max: 2 }))
beforeAll(async () => {
  await owner.unsafe(`create role ${STRANGER} login password 'stranger'`)
  fresh = await rightsInCatalogue(database.owner_url)
})
afterAll(() => owner?.unsafe(`drop owned by ${STRANGER}; drop role ${STRANGER}`))

/** What a dump, or a person, may have left there, and what is said of it. */
const CHANGES: [string, RegExp][] = [
  ['grant execute on function forget_runs to public', /everybody has EXECUTE on function forget_runs\(/],
  ['grant execute on all routines in schema public to public', /everybody has EXECUTE on function .* and \d+ more/],
  ['grant execute on procedure lock_rows to svc_ask', /svc_ask has EXECUTE on procedure lock_rows/],
  [
    `grant execute on function forget_pipelines to ${STRANGER}`,
    /stranger_\d+ has EXECUTE on function forget_pipelines/,
  ],
  ['grant select on runs to public', /everybody has SELECT on table runs/],
  ['grant update on run_events to svc_app', /svc_app has UPDATE on table run_events/],
  ['grant update (data) on run_events to svc_app', /svc_app has UPDATE \("data"\) on table run_events/],
  ['grant insert on schema_migrations to svc_app', /svc_app has INSERT on table schema_migrations/],
  ['grant truncate on audit_outbox to svc_app', /svc_app has TRUNCATE on table audit_outbox/],
  ['grant select on runs to svc_app with grant option', /svc_app may hand on SELECT on table runs/],
  ['grant select on users to svc_ask', /svc_ask has SELECT on table users/],
  ['grant select on gates to svc_ask', /svc_ask has SELECT on table gates/],
  ['grant select (password_hash) on users to svc_ask', /svc_ask has SELECT \("password_hash"\) on table users/],
  [`grant delete on runs to ${STRANGER} with grant option`, /stranger_\d+ has DELETE on table runs/],
  ['grant create on schema public to public', /everybody has CREATE on schema public/],
  ['revoke select on runs from svc_app', /svc_app lacks SELECT on table runs/],
  ['revoke all on all tables in schema public from svc_app, svc_ask', /svc_app lacks .* and \d+ more/],
  ['revoke execute on function admit_runs from svc_app', /svc_app lacks EXECUTE on function admit_runs/],
  ['revoke usage on schema public from svc_app', /svc_app lacks USAGE on schema public/],
  ['revoke select (id) on gates from svc_ask', /svc_ask lacks SELECT \("id"\) on table gates/],
  ['alter table runs no force row level security', /table runs is without row-level security/],
  ['alter table gates disable row level security', /table gates is without row-level security/],
  ['drop policy ask_in_one_workspace on runs', /table runs has no policy ask_in_one_workspace/],
  ['alter default privileges grant execute on functions to public', /everybody would get EXECUTE on all new functions/],
  [
    'alter default privileges in schema public grant delete on tables to svc_app',
    /svc_app would get DELETE on all new tables/,
  ],
  [`alter table runs owner to ${STRANGER}`, /table runs belongs to stranger/],
  ['alter function forget_runs owner to svc_app', /function forget_runs\(.*\) belongs to svc_app/],
]

describe('a database whose rights', () => {
  test('are those of the release differs in nothing', async () => {
    expect(await findDifferences(owner, WHOLE)).toEqual([])
    expect(fresh.length).toBeGreaterThan(300)
  })

  test.each(CHANGES)('were changed (%s) is told apart, and migrating mends it', async (change, message) => {
    await owner.unsafe(change)
    const differences = (await findDifferences(owner, WHOLE)).map(({ text }) => text)
    const [first = '', ...more] = differences
    expect(`${first}${more.length > 0 ? ` and ${more.length} more` : ''}`).toMatch(message)
    await migrate(database.owner_url)
    expect(await rightsInCatalogue(database.owner_url)).toEqual(fresh)
  })

  test('were changed in any of these ways at once are those of the release after one migration', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(CHANGES, { minLength: 2 }), async (changes) => {
        for (const [change] of changes) await owner.unsafe(change).catch(whatNeedsTheOwner)
        expect(await findDifferences(owner, WHOLE)).not.toEqual([])
        await migrate(database.owner_url)
        expect(await rightsInCatalogue(database.owner_url)).toEqual(fresh)
      }),
      { numRuns: 10 },
    )
  })

  test('cannot be mended by a statement, because a policy is gone, is refused', async () => {
    await owner
      .begin(async (tx) => {
        await tx`drop policy of_workspace on runs`
        expect(await findDifferences(tx, WHOLE)).toEqual([
          { text: 'table runs has no policy of_workspace: the restore is incomplete, restore again' },
        ])
        throw new Error('back to what it was')
      })
      .catch((error: Error) => expect(error.message).toBe('back to what it was'))
  })
})

/** In a chain of changes one may take away what the next one names. */
function whatNeedsTheOwner(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && ['42501', '0LP01', '42704'].includes(String(error.code))))
    throw error
}

test('a role that may only connect can read, write and call nothing', async () => {
  const url = Object.assign(new URL(database.owner_url), { username: STRANGER, password: 'stranger' }).href
  const stranger = createDb(url, { max: 1 })
  await expect(stranger`select forget_runs('[]', 1)`).rejects.toThrow(/permission denied for function forget_runs/)
  const allowed = await stranger<{ name: string }[]>`
    select oid::regprocedure::text as name from pg_proc
    where pronamespace = 'public'::regnamespace and has_function_privilege(oid, 'execute')
    union all
    select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S')
      and case relkind when 'S' then has_sequence_privilege(oid, 'usage, select, update')
        else has_table_privilege(oid, 'select, insert, update, delete, truncate, references, trigger') end`
  expect(allowed).toEqual([])
  await stranger.end()
})

test('a function that a later migration makes is not for everybody either', async () => {
  await owner`create function later() returns int language sql as 'select 1'`
  const [later] = await owner<{ open: boolean }[]>`
    select exists (select from aclexplode(proacl) where grantee = 0) as open from pg_proc where proname = 'later'`
  await owner`drop function later()`
  expect(later).toEqual({ open: false })
})

test('what somebody else has made in the schema keeps its owner and its rights, and stops nobody', async () => {
  await owner.unsafe(`
    create table runs_copy as select * from runs;
    create table users_import (id serial);
    grant usage on sequence users_import_id_seq to ${STRANGER};
    create function helper() returns int language sql as 'select 1';
    grant execute on function helper() to public;
    grant create on schema public to ${STRANGER};
    alter table runs_copy owner to ${STRANGER}`)
  await owner.unsafe(`revoke create on schema public from ${STRANGER}`)
  expect(await findDifferences(owner, WHOLE)).toEqual([])
  await migrate(database.owner_url)
  const [copy] = await owner`
    select pg_get_userbyid(relowner) = ${STRANGER} as kept, relrowsecurity from pg_class where relname = 'runs_copy'`
  expect(copy).toEqual({ kept: true, relrowsecurity: false })
  await owner.unsafe('drop table runs_copy, users_import; drop function helper()')
})

test('every object that the migrations make is known as one of the release', async () => {
  const rights = await readRights(owner, [])
  const unknown = rights?.objects.filter(({ kind, plain }) => !isOfRelease(kind, plain))
  expect(unknown).toEqual([])
})

test('a role of somebody else keeps what changes nothing', async () => {
  await owner.unsafe(`grant select on runs to ${STRANGER}; grant usage on schema public to ${STRANGER}`)
  expect(await findDifferences(owner, WHOLE)).toEqual([])
})

describe('a service role that is more than a role of rows', () => {
  // roles belong to the server, where other tests run: what is changed is taken back before anybody else sees it
  test.each([
    ['alter role svc_app bypassrls', 'role svc_app is bypassrls'],
    ['alter role svc_ask createrole', 'role svc_ask is createrole'],
    ['grant pg_write_all_data to svc_app', 'role svc_app is a member of pg_write_all_data'],
  ])('is told (%s)', async (change, message) => {
    await owner
      .begin(async (tx) => {
        await tx.unsafe(change)
        expect((await findDifferences(tx, WHOLE)).map(({ text }) => text)).toEqual([message])
        throw new Error('back to what it was')
      })
      .catch((error: Error) => expect(error.message).toBe('back to what it was'))
  })
})
