import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { runCli } from '#test/support/cli.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createTestHome } from '#test/support/embedded.ts'

let database: TestDatabase
let local: { home: string; remove(): Promise<void> }

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  local = await createTestHome()
  for (const [subscriber, message_id] of [
    ['skill/watch/note', 7],
    ['skill/watch/note', 9],
    ['other', 7],
  ] as const)
    await database.db`
      insert into bus_dead_letters (subscriber, message_id, workspace_id, topic, event, attempts, error)
      values (${subscriber}, ${message_id}, ${DEFAULT_WORKSPACE_ID}, 'run.failed', '{}', 5, ${'Error: \u001b[31mno'})`
})
afterAll(async () => {
  await database.drop()
  await local.remove()
})

const svc = (...args: string[]) =>
  runCli(['admin', ...args], { env: { SVC_HOME: local.home, DATABASE_URL: database.url } })

const waiting = async () =>
  (
    await database.db<{ name: string }[]>`
      select subscriber || ' ' || message_id as name from bus_dead_letters where redrive_at is not null order by 1`
  ).map(({ name }) => name)

test('an operator sees what was put aside and sends through once more what is named', async () => {
  const listed = await svc('dead-letters', '--subscriber', 'skill/watch/note', '--json')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  const letters: { message_id: number; attempts: number }[] = listed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(letters.map(({ message_id }) => message_id).toSorted()).toEqual([7, 9])
  expect(letters[0]?.attempts).toBe(5)

  const one = await svc('redrive', '9', '--subscriber', 'skill/watch/note')
  expect(one).toMatchObject({ code: 0, stdout: '1 to go through skill/watch/note once more\n' })
  expect(await waiting()).toEqual(['skill/watch/note 9'])
  const readable = await svc('dead-letters')
  expect(readable.stdout).toContain('to be tried once more')
  expect(readable.stdout).not.toContain('\u001b')
  expect(await svc('redrive', '--all', '--subscriber', 'other')).toMatchObject({ code: 0 })
  expect(await waiting()).toEqual(['other 7', 'skill/watch/note 9'])
  const noted = await database.db<{ what: string }[]>`
    select concat_ws(' ', draft ->> 'action', draft #>> '{data,subscriber}', draft #>> '{subject,id}') as what
    from audit_outbox order by id`
  expect(noted.map(({ what }) => what)).toEqual([
    'dead_letter.redriven skill/watch/note 9',
    'dead_letter.redriven other 7',
  ])
})

test('redriving nothing, or all and some, is refused', async () => {
  expect((await svc('redrive', '--subscriber', 'other')).code).toBe(64)
  expect((await svc('redrive', '7', '--all', '--subscriber', 'other')).code).toBe(64)
  expect((await svc('redrive', 'seven', '--subscriber', 'other')).code).not.toBe(0)
  expect((await svc('redrive', '8', '--subscriber', 'other')).code).toBe(66)
})
