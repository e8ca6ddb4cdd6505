import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDb, type Db } from '#store/db.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let target: Db
let targetUrl: string

beforeAll(async () => {
  const admin = createDb(inject('postgres_url'), { max: 1 })
  const name = `target_${Date.now().toString(36)}`
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  const url = new URL(inject('postgres_url'))
  url.pathname = `/${name}`
  targetUrl = url.toString()
  target = createDb(targetUrl, { max: 4 })
  await target`create table orders (id int primary key, note text) with (autovacuum_enabled = false)`
  await target`insert into orders select n, 'x' from generate_series(1, 5000) n`
  await target`create schema sales`
  await target`create table sales."Invoice" (id int primary key)`
  await target`insert into sales."Invoice" select generate_series(1, 2000)`
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
async function parked(body: object, template = 'maintenance'): Promise<string> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const { body: started } = await service.call<RunBody>('POST', `/packs/db/${template}/run`, body)
    const settled = await service.until<RunBody>(
      `/runs/${started.id}`,
      (each) => each.status === 'awaiting_approval' || each.status === 'failed',
    )
    if (settled.status === 'awaiting_approval') return started.id
    if (Date.now() > deadline) throw new Error(JSON.stringify(settled.error))
  }
}

interface Pending {
  plan: { summary: string; command: string }
  authorities: { operator: boolean; pack: boolean }
}
const pendingOf = async (id: string) => (await service.call<Pending>('GET', `/runs/${id}/pending-approval`)).body
const reportOf = async (id: string) => (await service.call<string>('GET', `/runs/${id}/report`)).body
const approve = (id: string) =>
  service.call('POST', `/runs/${id}/resume`, { decision: 'approve', note: 'before the close' })

test('a bloated table is shown with lock, size and time, vacuumed after the approval, and reported', async () => {
  const id = await parked({ inputs: { table: 'public.orders', action: 'vacuum' } })
  const pending = await pendingOf(id)
  expect(pending.plan.command).toContain('VACUUM public.orders')
  const { host } = new URL(inject('postgres_url'))
  expect(pending.plan.summary).toContain(`VACUUM public.orders on maintenance (postgres ${host}, database target_`)
  expect(pending.plan.summary).toContain('takes ShareUpdateExclusiveLock: reads and writes go on')
  expect(pending.plan.summary).toMatch(/public\.orders is \d+ kB with \d+ kB of indexes; about a second, an estimate/)
  expect(pending.authorities).toMatchObject({ operator: true, pack: true })
  expect((await approve(id)).status).toBe(200)
  const done = await ended(service, id)
  expect(done).toMatchObject({ status: 'succeeded', outputs: { dead_after: '0' } })
  expect(Number(done.outputs?.['dead_before'])).toBeGreaterThanOrEqual(5_000)
  const report = await reportOf(id)
  expect(report).toContain('public.orders held 5000 dead rows beside 5000 live ones')
  expect(report).toMatch(/- usr_local: approve, .*, "before the close"/)
})

test('a table whose name needs quotes is rebuilt', async () => {
  const id = await parked({ inputs: { table: 'sales."Invoice"', action: 'reindex' } })
  expect((await pendingOf(id)).plan.command).toBe('REINDEX TABLE CONCURRENTLY sales."Invoice"')
  await approve(id)
  expect((await ended(service, id)).status).toBe('succeeded')
  expect(await reportOf(id)).toContain('# Maintenance of sales."Invoice"')
})

test('a session that blocks another is shown and ended, and the other goes on', async () => {
  const [blocker, blocked] = [0, 1].map(() => createDb(targetUrl, { max: 1 })) as [Db, Db]
  const [backend] = await blocker<{ pid: number }[]>`select pg_backend_pid() as pid`
  await blocker`begin`
  await blocker`lock table sales."Invoice" in access exclusive mode`
  const waiting = blocked`select count(*)::int as rows from sales."Invoice"`.execute()
  const waits = () => target`select 1 from pg_locks where not granted`.then((rows) => rows.length)
  await expect.poll(waits, PATIENCE).toBe(1)
  const { body: check } = await service.call<RunBody>('POST', '/packs/db/maintenance-check/run', { inputs: {} })
  expect(await ended(service, check.id)).toMatchObject({ status: 'succeeded', outputs: { blockers: [backend?.pid] } })
  expect(await reportOf(check.id)).toContain(`process ${backend?.pid} (`)
  const id = await parked({ inputs: { pid: backend?.pid, action: 'terminate' } }, 'end-session')
  const { plan } = await pendingOf(id)
  expect(plan.summary).toContain(`process ${backend?.pid} of user `)
  expect(plan.command).toContain('pg_terminate_backend')
  await approve(id)
  expect(await ended(service, id)).toMatchObject({
    status: 'succeeded',
    outputs: { signalled: true, waiting_after: 0 },
  })
  expect(await waiting).toEqual([{ rows: 2000 }])
  expect(await reportOf(id)).toContain('The session is gone.')
  await Promise.all([blocker.end({ timeout: 1 }), blocked.end({ timeout: 1 })])
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
