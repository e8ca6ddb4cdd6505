import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createScratch, type Scratch } from '#test/store/operators/create-scratch.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let shop: Scratch
let scratch: Scratch

beforeAll(async () => {
  shop = await createScratch(inject('postgres_url'))
  scratch = await createScratch(inject('postgres_url'))
  await shop.sql.unsafe(`
    create schema sales;
    create table sales.orders_1 (id int primary key, amount numeric);
    insert into sales.orders_1 select n, n from generate_series(1, 500) n;
    create table sales.orders_2 (id int primary key, amount numeric);
    insert into sales.orders_2 select n, n from generate_series(1, 20) n`)
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SHOP_URL: shop.url, SCRATCH_URL: scratch.url },
    files: {
      'environments/development.yaml': environment('development'),
      'environments/production.yaml': environment('production'),
    },
  })
})
afterAll(async () => {
  await service.stop()
  await shop.drop()
  await scratch.drop()
})

const environment = (name: string) =>
  `name: ${name}
connections:
  datasets: { kind: postgres, url: "env:SHOP_URL" }
  maintenance: { kind: postgres, url: "env:SHOP_URL" }
  scratch: { kind: postgres, url: "env:SCRATCH_URL" }
`

/** Starts a run and waits until it ended or asks. */
async function run(template: string, inputs: object, in_environment = 'development'): Promise<RunBody> {
  const { body } = await service.call<RunBody>('POST', `/packs/${template}/run`, {
    inputs,
    environment: in_environment,
  })
  return await service.until<RunBody>(`/runs/${body.id}`, ({ status }) =>
    ['awaiting_approval', 'failed', 'succeeded'].includes(status),
  )
}
const reportOf = async (id: string) => (await service.call<string>('GET', `/runs/${id}/report`)).body

test('a version is checked, published once a person agreed to the very statement, held back, and withdrawn', async () => {
  const view = 'sales.orders'
  const checked = await run('data/dataset-checks', { view, table: 'sales.orders_1', min_rows: 100, unique: ['id'] })
  expect(checked).toMatchObject({ status: 'succeeded', outputs: { ok: true, rows: 500 } })

  const asking = await run('data/dataset-publish', {
    view,
    table: 'sales.orders_1',
    digest: checked.outputs?.['digest'],
  })
  expect(asking.status).toBe('awaiting_approval')
  interface Pending {
    plan: { summary: string; command: string }
    authorities: { operator: boolean; pack: boolean }
  }
  const { body: pending } = await service.call<Pending>('GET', `/runs/${asking.id}/pending-approval`)
  expect(pending.plan.command).toContain(
    'create or replace view sales.orders as select id, amount from sales.orders_1;',
  )
  expect(pending.plan.summary).toContain('sales.orders will show sales.orders_1 instead of nothing: it is new')
  expect(pending.authorities).toMatchObject({ operator: true, pack: true })
  expect(await shop.sql`select to_regclass('sales.orders') as view`).toEqual([{ view: null }])
  await service.call('POST', `/runs/${asking.id}/resume`, { decision: 'approve', note: 'for the close' })
  expect(await ended(service, asking.id)).toMatchObject({ status: 'succeeded', outputs: { version: 'sales.orders_1' } })
  expect(await shop.sql`select count(*)::int as n from sales.orders`).toEqual([{ n: 500 }])
  expect(await reportOf(asking.id)).toMatch(/- usr_local: approve, .*, "for the close"/)
  const rows = await service.database.db`
    select data ->> 'event' as event from run_events where type = 'step.published' and run_id = ${asking.id}`
  expect(rows).toEqual([{ event: 'version_published' }])

  const short = await run('data/dataset-checks', { view, table: 'sales.orders_2', max_row_change_percent: 50 })
  expect(short.outputs).toMatchObject({
    ok: false,
    failed: ['row_change: the number of rows changed by -96 %, at most 50 % expected'],
  })
  const aside = await run('data/dataset-quarantine', {
    view,
    table: 'sales.orders_2',
    failed: short.outputs?.['failed'],
    digest: short.outputs?.['digest'],
  })
  await service.call('POST', `/runs/${aside.id}/resume`, { decision: 'approve' })
  expect((await ended(service, aside.id)).status).toBe('succeeded')
  const refused = await run('data/dataset-publish', {
    view,
    table: 'sales.orders_2',
    digest: short.outputs?.['digest'],
  })
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'failed_by_template' } })
  expect(refused.error?.message).toContain('was quarantined with this very content')

  const back = await run('data/dataset-withdraw', { view, table: 'sales.orders_1' })
  expect(back.status).toBe('awaiting_approval')
  await service.call('POST', `/runs/${back.id}/resume`, { decision: 'approve' })
  expect(await ended(service, back.id)).toMatchObject({
    status: 'succeeded',
    outputs: { withdrawn: true, current: '' },
  })
  expect(await shop.sql`select to_regclass('sales.orders') as view`).toEqual([{ view: null }])
})

test('a drill runs unattended in production, from the backup to the cleared scratch', async () => {
  const backup = await run('db/backup', {}, 'production')
  expect(backup).toMatchObject({ status: 'succeeded' })
  const named = { backup: backup.outputs?.['backup'], digest: backup.outputs?.['digest'] }
  const { body: me } = await service.call<{ workspace_id: string }>('GET', `/runs/${backup.id}`)
  expect(await readdir(join(service.home, 'backups', me.workspace_id))).toEqual([named.backup])

  expect(await run('db/restore-drill', named, 'production')).toMatchObject({ status: 'succeeded' })
  const again = await run('db/restore-drill', named, 'production')
  expect(again).toMatchObject({ status: 'failed', error: { code: 'backup_refused' } })
  const checked = await run('db/restore-check', named, 'production')
  expect(checked).toMatchObject({ status: 'succeeded', outputs: { ok: true, differences: [] } })
  expect(await reportOf(checked.id)).toContain('Time to recover (RTO)')
  const { between_backups_s, recovery_s, data_age_s, tables, rows } = checked.outputs ?? {}
  const drill = { ...named, ok: true, tables, rows, recovery_s, data_age_s, between_backups_s }
  const { digest: _digest, ...inputs } = drill
  expect(await run('db/restore-clear', { backup: named.backup }, 'production')).toMatchObject({
    outputs: { cleared: true },
  })
  expect(await run('db/drill-report', inputs, 'production')).toMatchObject({ status: 'succeeded' })
  expect(await scratch.sql`select count(*)::int as n from pg_class where oid >= 16384 and relkind = 'r'`).toEqual([
    { n: 0 },
  ])
})
