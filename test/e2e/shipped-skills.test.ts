import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDb, type Db } from '#store/db.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let target: Db

const switchedOn = (path: string) =>
  readFileSync(new URL(`../../packs/${path}`, import.meta.url), 'utf8').replace('enabled: false', 'enabled: true')

beforeAll(async () => {
  const admin = createDb(inject('postgres_url'), { max: 1 })
  const name = `target_${Date.now().toString(36)}`
  await admin.unsafe(`create database ${name}`)
  await admin.end()
  const url = new URL(inject('postgres_url'))
  url.pathname = `/${name}`
  target = createDb(url.toString(), { max: 1 })
  await target`create table orders (id int primary key, note text) with (autovacuum_enabled = false)`
  await target`insert into orders select n, 'x' from generate_series(1, 3000) n`
  await target`update orders set note = 'y'`
  await target`select pg_stat_force_next_flush()`
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_BUS: 'postgres', MAINTENANCE_URL: url.toString() },
    files: {
      'environments/staging.yaml':
        'name: staging\nconnections:\n  maintenance: { kind: postgres, url: "env:MAINTENANCE_URL" }\n',
      'skills/failed-run-report/SKILL.md': switchedOn('sre/skills/failed-run-report/SKILL.md'),
      'skills/maintenance-check/SKILL.md': switchedOn('db/skills/maintenance-check/SKILL.md'),
    },
  })
})
afterAll(async () => {
  await target.end({ timeout: 1 })
  await service.stop()
})

const check = async (environment: string) => {
  const { body } = await service.call<RunBody>('POST', '/packs/db/maintenance-check/run', {
    environment,
    inputs: { min_size_mb: 0 },
  })
  return await ended(service, body.id)
}

test('what db/maintenance-check starts every week finds a bloated table and asks nobody', async () => {
  const done = await check('staging')
  expect(done).toMatchObject({ status: 'succeeded', outputs: { tables: ['public.orders'] } })
  const report = await service.call<string>('GET', `/runs/${done.id}/report`)
  expect(report.body).toMatch(
    /table public\.orders: about \d+ kB of \d+ kB is bloat \(\d+ %, at least: counted dead rows only, it was not analyzed/,
  )
})

test('it is a schedule of the default workspace', async () => {
  await service.until<{ name: string; source: string }[]>('/triggers/scheduled', (schedules) =>
    schedules.some(({ name, source }) => name === 'overlay.maintenance-check' && source === 'skill'),
  )
})

test('sre/failed-run-report reports the run that fails, without a person', async () => {
  const failed = await check('development')
  expect(failed.status).toBe('failed')
  const runs = await service.until<{ id: string; template: string; status: string }[]>('/runs', (all) =>
    all.some(({ template, status }) => template === 'failed-run-report' && status === 'succeeded'),
  )
  const id = runs.find(({ template }) => template === 'failed-run-report')?.id
  const report = await service.call<string>('GET', `/runs/${id}/report`)
  expect(report.body).toContain(failed.id)
  expect(report.body).toContain('connection "maintenance" is not declared in environment "development"')
})
