import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDb, type Db } from '#store/db.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let target: Db

beforeAll(async () => {
  const admin = createDb(inject('postgres_url'), { max: 1 })
  const name = `target_${Date.now().toString(36)}`
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  const url = new URL(inject('postgres_url'))
  url.pathname = `/${name}`
  target = createDb(url.toString(), { max: 4 })
  await target`create table orders (id int primary key, note text) with (autovacuum_enabled = false)`
  await target`insert into orders select n, 'x' from generate_series(1, 5000) n`
  const session = await target.reserve()
  await session`update orders set note = 'y'`
  await session`select pg_stat_force_next_flush()`
  session.release()
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { MAINTENANCE_URL: url.toString() },
  })
  const folder = join(service.home, 'environments')
  await mkdir(folder, { recursive: true })
  for (const environment of ['development', 'staging']) {
    await writeFile(
      join(folder, `${environment}.yaml`),
      `name: ${environment}\nconnections:\n  maintenance: { kind: postgres, url: "env:MAINTENANCE_URL" }\n`,
    )
  }
})
afterAll(async () => {
  await target.end({ timeout: 1 })
  await service.stop()
})

const run = (body: object) => service.call<RunBody>('POST', '/packs/db/maintenance/run', body)

/** The environment files are read while the service runs; a first run may come too early for them. */
async function parked(body: object): Promise<string> {
  const deadline = Date.now() + 15_000
  for (;;) {
    const { body: started } = await run(body)
    const settled = await service.until<RunBody>(
      `/runs/${started.id}`,
      (each) => each.status === 'awaiting_approval' || each.status === 'failed',
    )
    if (settled.status === 'awaiting_approval') return started.id
    if (Date.now() > deadline) throw new Error(JSON.stringify(settled.error))
  }
}

test('a bloated table is found, shown with its locks, vacuumed after the approval, and reported', async () => {
  const id = await parked({ inputs: { table: 'public.orders', action: 'vacuum' } })
  const pending = (
    await service.call<{ plan: { command: string }; authorities: { operator: boolean; pack: boolean } }>(
      'GET',
      `/runs/${id}/pending-approval`,
    )
  ).body
  expect(pending.plan.command).toContain('VACUUM public.orders')
  expect(pending.authorities).toMatchObject({ operator: true, pack: true })
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })).status).toBe(200)
  const done = await ended(service, id)
  expect(done).toMatchObject({ status: 'succeeded', outputs: { dead_after: '0' } })
  expect(Number(done.outputs?.['dead_before'])).toBeGreaterThanOrEqual(5_000)
  const report = await service.call<string>('GET', `/runs/${id}/report`)
  expect(report.body).toContain('orders')
})

test('in staging the gate asks for a dba', async () => {
  const id = await parked({ inputs: { table: 'public.orders', action: 'analyze' }, environment: 'staging' })
  const pending = (
    await service.call<{ required: { approval_roles: string[][] } }>('GET', `/runs/${id}/pending-approval`)
  ).body
  expect(pending.required.approval_roles).toEqual([['dba']])
  await service.call('POST', `/runs/${id}/resume`, { decision: 'reject' })
  expect((await ended(service, id)).status).toBe('rejected')
})

test('a table that is locked by somebody for long is left alone', async () => {
  const holder = await target.reserve()
  await holder`begin`
  await holder`lock table orders in share mode`
  const { body } = await run({ inputs: { table: 'public.orders', action: 'vacuum', max_lock_age_s: 0 } })
  const failed = await ended(service, body.id)
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'failed_by_template', step: 'locked' } })
  await holder`rollback`
  holder.release()
})

test('a name that is no identifier never reaches the database', async () => {
  const refused = await run({ inputs: { table: 'orders; drop table orders', action: 'vacuum' } })
  expect(refused.status).toBe(422)
  expect((await service.call<RunBody[]>('GET', '/runs?status=awaiting_approval')).body).toEqual([])
})
