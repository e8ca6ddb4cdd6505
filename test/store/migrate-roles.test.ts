import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '#test/support/database.ts'

test('databases of one server can be migrated at the same time, though they share the service role', async () => {
  const databases = await Promise.all(Array.from({ length: 6 }, () => createTestDatabase(inject('postgres_url'))))
  expect(new Set(databases.map((database) => new URL(database.url).password)).size).toBe(1)
  for (const database of databases) await database.drop()
})
