import type { ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { killHard } from '#test/support/crash-service.ts'
import { createRoles } from '#test/support/database-roles.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, eventsOf, type RunBody } from '#test/support/recovery.ts'
import { startSecretConsumer } from '#test/support/secret-consumer.ts'
import { type SecretStore, startSecretStore } from '#test/support/secret-store.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PATH = 'shop/database'

let service: TestService
let worker: ChildProcess
let roles: Awaited<ReturnType<typeof createRoles>>
let store: SecretStore
let consumer: Awaited<ReturnType<typeof startSecretConsumer>>

beforeAll(async () => {
  roles = await createRoles(inject('postgres_url'), ['shop_a', 'shop_b'])
  store = await startSecretStore('token-of-the-tests')
  store.put(PATH, { username: roles.named('shop_a'), password: new URL(roles.urlOf('shop_a')).password })
  consumer = await startSecretConsumer({ store, path: PATH, database_url: roles.url })
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    env: { ROTATION_URL: roles.admin_url, SECRETS_URL: store.url, SVC_LOG_LEVEL: 'debug' },
    files: {
      'environments/development.yaml': `name: development
connections:
  rotation: { kind: postgres, url: "env:ROTATION_URL" }
  secrets: { kind: http, url: "env:SECRETS_URL" }
`,
    },
  })
  worker = await service.startWorker()
})
afterAll(async () => {
  await service?.stop()
  await consumer?.stop()
  await store?.stop()
  await roles?.drop()
})

interface Pending {
  kind: string
  step: { id: string } | string
  because: string[]
  plan: { summary: string; command: string }
}

async function start(within = '60s', more: object = {}): Promise<string> {
  const users = [roles.named('shop_a'), roles.named('shop_b')]
  const inputs = { users, path: PATH, consumer: consumer.url, within, settle: '1s' }
  const { body } = await service.call<RunBody>('POST', '/packs/sec/secret-rotation/run', { inputs, ...more })
  return body.id
}
async function asking(id: string): Promise<Pending> {
  const settled = await service.until<RunBody>(`/runs/${id}`, ({ status }) =>
    ['awaiting_approval', 'failed', 'succeeded'].includes(status),
  )
  expect(settled).toMatchObject({ status: 'awaiting_approval' })
  return (await service.call<Pending>('GET', `/runs/${id}/pending-approval`)).body
}
const approve = async (id: string) => {
  const answer = () => service.call('POST', `/runs/${id}/resume`, { decision: 'approve', note: 'seen' })
  await expect.poll(async () => (await answer()).status, PATIENCE).toBe(200)
}
const written = () => store.versions(PATH).map(({ username, password }) => ({ username, password: String(password) }))

/** Tells whether a version of the secret opens the database. */
async function opens(version: number): Promise<boolean> {
  const { username, password } = written()[version - 1] ?? {}
  const url = new URL(roles.url)
  url.username = String(username)
  url.password = String(password)
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined })
  const answer = await sql`select 1`.then(
    () => true,
    () => false,
  )
  await sql.end({ timeout: 1 })
  return answer
}
const whoami = async () => await (await fetch(consumer.url)).json()

/** Where a text stands among all that is kept of a service: tables, logs, files. */
async function placesOf(text: string): Promise<string[]> {
  const { db } = service.database
  const tables = await db<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await db.unsafe(`select 1 from ${name} t where t::text like $1 limit 1`, [`%${text}%`])
    if (row !== undefined) found.push(name)
  }
  for (const file of await readdir(service.home, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const path = join(file.parentPath, file.name)
    if ((await readFile(path)).includes(text)) found.push(path)
  }
  return found
}

test('the unused user gets a password that nobody reads but the store, and the old one ends when a person agrees', async () => {
  expect(await whoami()).toEqual({ user: roles.named('shop_a'), version: 1 })
  const dry = await ended(service, await start('60s', { dry_run: true }))
  expect(dry.status).toBe('succeeded')
  expect(JSON.stringify(dry.outputs)).toContain('and write version 2 of the secret')
  expect(written()).toHaveLength(1)

  const id = await start()
  const pending = await asking(id)
  expect(pending.plan.command).toBe(
    `ALTER ROLE "${roles.named('shop_a')}" NOLOGIN PASSWORD NULL VALID UNTIL '-infinity'`,
  )
  expect(pending.plan.summary).toContain('the user in secret/shop/database of secrets (http http://127.0.0.1:')
  expect(await whoami()).toEqual({ user: roles.named('shop_b'), version: 2 })
  expect([await opens(1), await opens(2)]).toEqual([true, true])
  await approve(id)
  const done = await ended(service, id)
  expect(done).toMatchObject({ status: 'succeeded', outputs: { user: roles.named('shop_b'), version: 2 } })
  expect([await opens(1), await opens(2)]).toEqual([false, true])
  expect(await whoami()).toEqual({ user: roles.named('shop_b'), version: 2 })

  const { body: report } = await service.call<string>('GET', `/runs/${id}/report`)
  expect(report).toContain(`as of version 2`)
  expect(report).toMatch(/- usr_local: approve, .*, "seen"/)
  const { password = '' } = written()[1] ?? {}
  expect(password).toHaveLength(43)
  const fingerprint = String(done.outputs?.['fingerprint'])
  expect(await placesOf(fingerprint)).toContain('public.run_steps')
  expect(await placesOf(password)).toEqual([])
  expect(JSON.stringify([await eventsOf(service, id), done, report])).not.toContain(password)
})

test('it stops with both valid where the consumer does not change', async () => {
  consumer.keep(true)
  const failed = await ended(service, await start('2s'))
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'verify_failed', step: 'verify' } })
  expect([await opens(2), await opens(3)]).toEqual([true, true])
  consumer.keep(false)
  expect(await whoami()).toEqual({ user: roles.named('shop_a'), version: 3 })
})

test('a worker that is killed between write and verify leaves both valid, writes nothing twice, and a person goes on', async () => {
  store.afterWrite(async () => {
    store.afterWrite(undefined)
    await killHard(worker)
  })
  const id = await start()
  await expect.poll(() => written().length, PATIENCE).toBe(4)
  worker = await service.startWorker()
  const pending = await asking(id)
  expect(pending.because).toContain('outcome_unknown')
  expect(pending.plan.summary).toContain(`set a new password of ${roles.named('shop_b')}`)
  expect([await opens(3), await opens(4)]).toEqual([true, true])
  const before = written()
  expect(before).toHaveLength(4)

  await approve(id)
  await expect.poll(async () => (await asking(id)).because, PATIENCE).not.toContain('outcome_unknown')
  // what the first attempt wrote stands
  expect(written()).toEqual(before)
  expect([await opens(3), await opens(4)]).toEqual([true, true])
  await approve(id)
  expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { version: 4 } })
  expect([await opens(3), await opens(4)]).toEqual([false, true])
  for (const { password } of before.slice(2)) expect(await placesOf(password)).toEqual([])
})
