import type postgres from 'postgres'
import { expect, test } from 'vitest'
import { createDb } from '#store/db.ts'
import { readFunctions, readMigrations } from '#store/read-sql.ts'
import { applyFunctions } from '#store/run-migrations.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'

const LAST = readMigrations().at(-1)?.name
const HELLO = {
  name: 'hello',
  text: "create or replace function hello() returns text language sql as $$ select 'new' $$;",
}
const BROKEN = {
  name: 'zz',
  text: 'create or replace function zz() returns text language sql as $$ select 1 from nothing $$;',
}

const database = testDatabase()
const owner = fileFixture(() => createDb(database.owner_url, { max: 8 }))

interface Known {
  name: string
  text: string
  owner: string
  grants: string
  /** the transaction that wrote it last */
  written: string
}

const known = (db: postgres.ISql) => db<Known[]>`
  select oid::regprocedure::text as name, pg_get_functiondef(oid) as text, proowner::regrole::text as owner,
    coalesce(proacl::text, '') as grants, xmin::text as written
  from pg_proc where pronamespace = 'public'::regnamespace order by 1`
const digest = async () => (await owner<{ digest: string }[]>`select digest from applied_functions`)[0]?.digest
const withoutPlace = (rows: readonly Known[]) => rows.map(({ written: _, ...row }) => row)

test('the functions are what the files say, and there is none that no file holds', async () => {
  const before = await known(owner)
  await owner
    .begin(async (tx) => {
      for (const { text } of readFunctions()) await tx.unsafe(text)
      const [now] = await tx<{ id: string }[]>`select pg_current_xact_id()::xid::text as id`
      const after = await known(tx)
      expect(withoutPlace(after)).toEqual(withoutPlace(before))
      expect(after.filter(({ written }) => written !== now?.id).map(({ name }) => name)).toEqual([])
      throw new Error('back to what it was')
    })
    .catch((error: Error) => expect(error.message).toBe('back to what it was'))
  expect(before.length).toBeGreaterThan(40)
})

test('functions that are up to date are not written again', async () => {
  const before = await known(owner)
  await applyFunctions(owner, LAST)
  expect(await known(owner)).toEqual(before)
})

test('processes that meet apply a change once, and nobody who is at work is waited for', async () => {
  const before = await known(owner)
  await database.db.begin(async (tx) => {
    await tx`select append_events('run_none', '[]'), iso_time(now())`
    await Promise.all(Array.from({ length: 6 }, () => applyFunctions(owner, LAST, [HELLO, ...readFunctions()])))
  })
  const after = await known(owner)
  expect(new Set(after.map(({ written }) => written)).size).toBe(1)
  expect(withoutPlace(after.filter(({ name }) => name !== 'hello()'))).toEqual(withoutPlace(before))
  expect(await owner`select hello() as word`).toEqual([{ word: 'new' }])
  await owner`drop function hello()`
  await applyFunctions(owner, LAST)
})

test('files of which one does not work change nothing', async () => {
  const before = { known: await known(owner), digest: await digest() }
  await expect(applyFunctions(owner, LAST, [HELLO, BROKEN])).rejects.toThrow('relation "nothing" does not exist')
  expect({ known: await known(owner), digest: await digest() }).toEqual(before)
})

test('where a newer release has migrated, its functions stay', async () => {
  const before = { known: await known(owner), digest: await digest() }
  await applyFunctions(owner, '0000_of_an_older_release', [HELLO])
  expect({ known: await known(owner), digest: await digest() }).toEqual(before)
})

test('the running service can neither replace a function nor say which there are', async () => {
  await expect(database.db.unsafe(HELLO.text)).rejects.toThrow(/permission denied/)
  await expect(database.db`update applied_functions set digest = ''`).rejects.toThrow(/permission denied/)
})
