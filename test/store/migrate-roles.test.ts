import { execFile } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { programArgs } from '#platform/program/program-args.ts'
import { createTestDatabase } from '#test/support/database.ts'

test('databases of one server can be migrated at the same time, though they share the service role', async () => {
  const databases = await Promise.all(Array.from({ length: 6 }, () => createTestDatabase(inject('postgres_url'))))
  expect(new Set(databases.map((database) => new URL(database.url).password)).size).toBe(1)
  for (const database of databases) await database.drop()
})

interface Ended {
  code: number
  stdout: string
  stderr: string
}

function migrateMain(settings: Record<string, string>): Promise<Ended> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, programArgs('store/migrate-main.ts'), { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

test('the program that migrates answers with the url of the service role', async () => {
  const database = await createTestDatabase(inject('postgres_url'))
  const { code, stdout } = await migrateMain({ DATABASE_URL: database.owner_url })
  expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { url: database.url } })
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
