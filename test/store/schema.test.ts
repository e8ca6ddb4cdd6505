import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createDb } from '#store/db.ts'
import { dumpSchema } from '#store/dump-schema.ts'
import { migrate } from '#store/migrate.ts'
import { testDatabase } from '#test/support/file-fixture.ts'

const SCHEMA = new URL('../../store/schema.sql', import.meta.url)

const database = testDatabase()

test('store/schema.sql is what the migrations lead to (UPDATE_SCHEMA=1 writes it)', async () => {
  const schema = await dumpSchema(database.owner_url)
  if (process.env['UPDATE_SCHEMA'] === '1') await writeFile(SCHEMA, schema)
  expect(schema).toBe(await readFile(SCHEMA, 'utf8'))
})

test('any number of processes migrate at once', async () => {
  const urls = await Promise.all(Array.from({ length: 8 }, () => migrate(database.owner_url)))
  expect(new Set(urls.map(({ url }) => url))).toEqual(new Set([database.url]))
})

test('the running service cannot change the schema, or what is on record', async () => {
  const { db } = database
  await expect(db`create table intruder (id int)`).rejects.toThrow(/permission denied/)
  await expect(db`update run_events set type = 'run.failed'`).rejects.toThrow(/permission denied/)
  await expect(db`delete from run_events`).rejects.toThrow(/permission denied/)
  await expect(db`delete from audit_outbox`).rejects.toThrow(/permission denied/)
  await expect(db`truncate gates`).rejects.toThrow(/permission denied/)
})

test('a run that ended without an end, or spent over its cap, cannot be written', async () => {
  const owner = createDb(database.owner_url, { max: 1 })
  const insert = (columns: Record<string, unknown>) => owner`insert into runs ${owner({ ...RUN, ...columns })}`
  await owner`insert into plans (digest, plan) values (${RUN.plan_digest}, '{}')`
  await expect(insert({ status: 'succeeded' })).rejects.toThrow(/runs_ended_when_terminal/)
  await expect(insert({ status: 'awaiting_approval' })).rejects.toThrow(/runs_awaiting_has_since/)
  await expect(insert({ status: 'queued', llm_micro_usd: 60, reserved_micro_usd: 41 })).rejects.toThrow(
    /runs_never_over_cap/,
  )
  await insert({ status: 'queued', llm_micro_usd: 60, reserved_micro_usd: 40 })
  await owner.end()
})

const RUN = {
  id: 'run_01k00000000000000000000000',
  workspace_id: 'ws_00000000000000000000000000',
  pack: 'p',
  template: 't',
  template_version: '1.0.0',
  template_digest: 'd',
  plan_digest: `sha256:${'0'.repeat(64)}`,
  lane: 'realtime',
  environment: 'development',
  environment_class: 'development',
  profile: 'default',
  risk: 'low',
  action_types: [],
  capabilities: [],
  inputs: {},
  inputs_hash: 'h',
  provenance: {},
  cap_micro_usd: 100,
}
