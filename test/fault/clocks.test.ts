import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { proveAudit } from '#test/support/crash-record.ts'
import { CRASH_PACKS } from '#test/support/crash-service.ts'
import { freePort } from '#test/support/free-ports.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { clockOff, settableClock } from '#test/support/wrong-clocks.ts'

const HOUR_MS = 3_600_000
/** Another day, no matter what the hour. */
const OFF_MS = 25 * HOUR_MS
const TTL_S = 1_800

let demo: DemoService
beforeAll(async () => {
  demo = await startDemoService()
})
afterAll(() => demo?.stop())

/** A service whose processes the test starts itself; by the real clock, `frozen` may not be written to now, and `paid` has a cap. */
function startService(): Promise<TestService> {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  const interval = `{ from: "${at(-HOUR_MS)}", to: "${at(HOUR_MS)}" }`
  const environment = (name: string, more: string) =>
    `name: ${name}\nclass: development\nworkspaces: ["*"]\negress: [loopback]\n${more}\n`
  return startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    api: false,
    workers: 0,
    env: { ...AUTH_ENV, SVC_PACKS_DIR: CRASH_PACKS, SVC_APPROVAL_TTL_HOURS: String(TTL_S / 3_600) },
    files: {
      'environments/frozen.yaml': environment('frozen', `freeze: [{ name: holidays, interval: ${interval} }]`),
      'environments/paid.yaml': environment('paid', 'cost_gate: { max_usd: 1, daily_usd: 5 }'),
    },
  })
}

async function createPeople(service: TestService) {
  const identities = await createIdentities(service)
  return {
    identities,
    starter: await identities.add('starter', { roles: ['operator'] }),
    approver: await identities.add('approver', { roles: ['approver'] }),
  }
}

const startRun = (service: TestService, { headers }: Member, template: string, environment: string) =>
  service.call<RunBody & { code?: string }>(
    'POST',
    `/packs/crash/${template}/run`,
    { inputs: { url: demo.url }, environment },
    headers,
  )

async function park(service: TestService, starter: Member): Promise<string> {
  const { status, body } = await startRun(service, starter, 'gated', 'paid')
  expect(status, JSON.stringify(body)).toBe(202)
  const waits = (run: RunBody) => run.status === 'awaiting_approval'
  await service.until<RunBody>(`/runs/${body.id}`, waits, PATIENCE.timeout, starter.headers)
  return body.id
}

const approve = (service: TestService, runId: string, { headers }: Member) =>
  service.call<{ resolved?: boolean; code?: string }>('POST', `/runs/${runId}/resume`, { decision: 'approve' }, headers)

describe.each([-OFF_MS, OFF_MS])('processes whose clocks are %i ms off', (off_ms) => {
  let service: TestService
  let people: Awaited<ReturnType<typeof createPeople>>

  beforeAll(async () => {
    service = await startService()
    await Promise.all([service.startApi(clockOff(off_ms)), service.startWorker(clockOff(off_ms))])
    people = await createPeople(service)
  })
  afterAll(() => service?.stop())

  test('have a gate wait as long as it should, take its approval, and charge the day that it is', async () => {
    const { db } = service.database
    const id = await park(service, people.starter)
    const [gate] = await db<{ lasts_s: number }[]>`
      select extract(epoch from expires_at - opened_at)::float8 as lasts_s from gates where run_id = ${id}`
    expect(Math.abs((gate?.lasts_s ?? 0) - TTL_S)).toBeLessThan(5)
    expect((await approve(service, id, people.approver)).body).toMatchObject({ resolved: true })
    expect(await ended(service, id, PATIENCE.timeout, people.starter.headers)).toMatchObject({ status: 'succeeded' })
    const days = await db<{ is_today: boolean }[]>`
      select abs(day - (now() at time zone 'utc')::date) <= 1 and day >= (now() at time zone 'utc' - interval '10 minutes')::date as is_today
      from environment_budgets where environment = 'paid'`
    expect(days).toEqual([{ is_today: true }])
  })

  test('keep a freeze that is on', async () => {
    expect((await startRun(service, people.starter, 'post', 'frozen')).body).toMatchObject({ code: 'frozen' })
  })

  test('let in who signed in at a process whose clock is right, and the other way round', async () => {
    const port = await freePort()
    const other = { url: `http://127.0.0.1:${port}` }
    await service.startApi({ SVC_PORT: String(port) })
    const me = async (url: string, { headers }: Member) => (await fetch(`${url}/auth/me`, { headers })).status
    expect(await me(other.url, people.starter)).toBe(200)
    const { owner } = await createIdentities({ call: service.call, ...other })
    expect(await me(service.url, owner)).toBe(200)
  })

  test('write nothing down about times of a schedule that have not come', async () => {
    const { db } = service.database
    const draft = { cron: '* * * * *', pack: 'crash', template: 'post', inputs: { url: demo.url } }
    const { headers } = people.identities.owner
    const made = await service.call<{ id: string }>('POST', '/triggers/scheduled', { name: 'often', ...draft }, headers)
    const path = `/triggers/scheduled/${made.body.id}`
    for (const enabled of [false, true]) {
      const changed = await service.call('PATCH', path, { enabled }, headers)
      expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ enabled })])
    }
    expect((await service.call('DELETE', path, undefined, headers)).status).toBeLessThan(300)
    const [row] = await db<{ ahead: boolean; firings: number }[]>`
      select accounted_until > now() + interval '1 minute' as ahead,
        (select count(*)::int from schedule_firings where nominal_at > now() or nominal_at < now() - interval '5 minutes') as firings
      from schedules where id = ${made.body.id}`
    expect(row).toEqual({ ahead: false, firings: 0 })
  })

  test('put the time that it is on record', async () => {
    const [row] = await service.database.db<{ far: number; records: number }[]>`
      select count(*) filter (where abs(extract(epoch from (draft ->> 'ts')::timestamptz - now())) > 600)::int as far,
        count(*)::int as records from audit_outbox`
    expect(row?.far).toBe(0)
    expect(row?.records).toBeGreaterThan(5)
    await proveAudit(service.database.db, service.home)
  })
})

test.each([-OFF_MS, OFF_MS])(
  'a gate that is open, and who is signed in, do not notice that clocks of processes jump by %i ms',
  async (jump_ms) => {
    const service = await startService()
    try {
      const processes: ChildProcess[] = await Promise.all([
        service.startApi(clockOff(0, jump_ms)),
        service.startWorker(clockOff(0, jump_ms)),
      ])
      const { starter, approver } = await createPeople(service)
      const id = await park(service, starter)
      for (const each of processes) each.kill('SIGUSR2')
      const run = await service.call<RunBody>('GET', `/runs/${id}`, undefined, starter.headers)
      expect([run.status, run.body.status]).toEqual([200, 'awaiting_approval'])
      expect((await approve(service, id, approver)).body).toMatchObject({ resolved: true })
      expect(await ended(service, id, PATIENCE.timeout, starter.headers)).toMatchObject({ status: 'succeeded' })
    } finally {
      await service.stop()
    }
  },
  120_000,
)

describe('a database whose clock jumps', () => {
  let service: TestService
  let shown: Awaited<ReturnType<typeof settableClock>>
  let starter: Member
  let approver: Member

  beforeAll(async () => {
    service = await startService()
    shown = await settableClock(service.database)
    await Promise.all([service.startApi(), service.startWorker()])
    ;({ starter, approver } = await createPeople(service))
  })
  afterAll(async () => {
    await shown?.close()
    await service?.stop()
  })

  test('ahead past the end of a gate has nobody approve it any more, and back again harms nothing', async () => {
    const [late, other] = [await park(service, starter), await park(service, starter)]
    const acted = () => demo.state().actions.filter(({ key }) => key?.startsWith(late)).length
    await shown.set(HOUR_MS)
    const answer = await approve(service, late, approver)
    expect([answer.status, answer.body.code, acted()]).toEqual([409, 'gate_resolved', 0])
    expect(await ended(service, late, PATIENCE.timeout, starter.headers)).toMatchObject({ status: 'expired' })
    // the process that leads goes on, in the new time
    const { body } = await startRun(service, starter, 'post', 'paid')
    expect(await ended(service, body.id, PATIENCE.timeout, starter.headers)).toMatchObject({ status: 'succeeded' })
    await shown.set(-HOUR_MS)
    // a token is good from its time on, which has not come again: the API knows the new time when it says so
    await vi.waitFor(
      async () => expect((await service.call('GET', '/runs', undefined, starter.headers)).status).toBe(401),
      PATIENCE,
    )
    const { owner } = await vi.waitFor(() => createIdentities(service), PATIENCE)
    const after = await startRun(service, owner, 'post', 'paid')
    expect(await ended(service, after.body.id, PATIENCE.timeout, owner.headers)).toMatchObject({ status: 'succeeded' })
    await shown.set(0)
    expect(acted()).toBe(0)
    // it is open until it has expired on record
    await vi.waitFor(async () => {
      const { headers } = starter
      const { body: run } = await service.call<RunBody>('GET', `/runs/${other}`, undefined, headers)
      if (run.status === 'awaiting_approval') await approve(service, other, approver)
      expect(['succeeded', 'expired']).toContain(run.status)
    }, PATIENCE)
    await proveAudit(service.database.db, service.home)
  })
})
