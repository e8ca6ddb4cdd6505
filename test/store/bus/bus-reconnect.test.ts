import { expect, inject, test } from 'vitest'
import { createDb } from '#store/db.ts'
import { testDatabase } from '#test/support/file-fixture.ts'

const database = testDatabase()

test('a pool asks for the types of arrays once, so that a session lost in that question cannot end the process', async () => {
  const db = createDb(database.owner_url, { max: 1, name: 'test-types' })
  const session = async () => {
    const [row] = await db<{ pid: number; list: string[] }[]>`
      select pg_backend_pid() as pid, ${['a', 'b "c"']}::text[] as list`
    return row
  }
  const first = await session()
  expect(first?.list).toEqual(['a', 'b "c"'])
  expect(db.options.fetch_types).toBe(false)
  await database.db`select 1`
  const admin = createDb(inject('postgres_url'), { max: 1, name: 'test-admin' })
  await admin`select pg_terminate_backend(${first?.pid ?? 0})`
  await admin.end({ timeout: 1 })
  await expect.poll(() => session().catch(() => undefined)).toMatchObject({ list: ['a', 'b "c"'] })
  expect((await session())?.pid).not.toBe(first?.pid)
  await db.end({ timeout: 1 })
})
