import { expect, test } from 'vitest'
import { MIGRATION, runMigration } from '#platform/embedded/children.ts'

test('a database that does not answer is told in one sentence, with where it was looked for', async () => {
  await expect(runMigration(MIGRATION, 'postgres://svc:secret@127.0.0.1:1/svc')).rejects.toThrow(
    /^The database at 127\.0\.0\.1:1\/svc as svc cannot be used \(ECONNREFUSED\)\. Start it, or correct DATABASE_URL\.$/,
  )
})
