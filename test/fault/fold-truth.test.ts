import type { ChildProcess } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import type { Db } from '#store/db.ts'
import {
  openStorm,
  STORM_RULES,
  type Storm,
  type StormAlert,
  stormFingerprint,
  stormOrder,
} from '#test/support/alert-storm.ts'
import { closeRuns } from '#test/support/close-runs.ts'
import { CRASH_PACKS, killHard } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { proveAnswers, proveFold, proveOneActive, proveTimelines } from '#test/support/prove-fold.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

/** `SVC_STORM=2000` is the whole storm; the small one is for every day. */
const ALERTS = Number(process.env['SVC_STORM'] ?? 800)
const CONNECTIONS = 40
const ROUNDS = 5
/** rounds in which something is killed */
const STRUCK = [1, 3]
/** runs that are ended in each round but the first: so few that as many wait for the next round, even if all of a round end after its alerts */
const CLOSED = 8

interface Extent {
  alerts: number
  services: number
}
const LARGE: Extent = { alerts: ALERTS, services: ALERTS / 20 }
const SMALL: Extent = { alerts: ALERTS / 2, services: ALERTS / 40 }

let demo: DemoService
let service: TestService
let storm: Storm
let api: ChildProcess
let worker: ChildProcess

async function start(env: Record<string, string> = {}): Promise<void> {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    api: false,
    env: { ...env, SVC_PACKS_DIR: CRASH_PACKS },
    files: { 'rules/storm.yaml': STORM_RULES },
  })
  ;[api, worker] = await Promise.all([service.startApi(), service.startWorker()])
  storm = openStorm({ url: service.url, acts_on: demo.url, connections: CONNECTIONS })
}

beforeEach(async () => {
  demo = await startDemoService()
})
afterEach(async () => {
  storm.close()
  await service.stop()
  await demo.stop()
})

const parked = async () =>
  (await service.call<RunBody[]>('GET', '/runs?status=awaiting_approval&limit=200')).body.map(({ id }) => id)

/** Sends the rounds one after another; in each but the first some runs end meanwhile, and in some `strike` is called on the way. */
async function rage(extent: Extent, alertOf: (n: number) => Partial<StormAlert>, strike: () => Promise<void>) {
  const alerts = stormOrder(extent.alerts, extent.services).map(
    (service, n): StormAlert => ({ service, member: `member-${n}`, ...alertOf(n) }),
  )
  const size = Math.ceil(alerts.length / ROUNDS)
  for (let round = 0; round < ROUNDS; round += 1) {
    const part = alerts.slice(round * size, (round + 1) * size)
    const ending = round === 0 ? [] : (await someParked()).slice(0, CLOSED)
    const struck: Promise<void>[] = []
    const sent = storm.send(part, (answered) => {
      if (answered === Math.floor(size / 3) && STRUCK.includes(round)) struck.push(strike())
    })
    await Promise.all([closeRuns(service, ending), sent])
    await Promise.all(struck)
  }
}

/** Those that wait for somebody, the run of the busiest fingerprint first. */
async function someParked(): Promise<string[]> {
  await service.until<RunBody[]>('/runs?status=awaiting_approval&limit=200', (list) => list.length >= CLOSED)
  const hot = await service.database.db<{ id: string }[]>`
    select id from runs where fingerprint = ${stormFingerprint('storm-0')} and ended_at is null`
  return [...new Set([...hot.map(({ id }) => id), ...(await parked())])]
}

/** Alerts that were answered as taken, by fingerprint; a repeat of the sender counts once. */
function accepted(): Map<string, number> {
  const members = new Map<string, Set<string>>()
  for (const { alert, status } of storm.answers) {
    if (status !== 202) continue
    const key = stormFingerprint(alert.service)
    members.set(key, (members.get(key) ?? new Set()).add(alert.member))
  }
  return new Map(Array.from(members, ([key, of]) => [key, of.size]))
}

/** As if the time had passed after which a request that was never answered counts as lost; what the API had asked for is done by then. */
async function ageLostRequests(): Promise<void> {
  const { db } = service.database
  await vi.waitFor(
    async () => expect([...(await db`select pid from pg_stat_activity where ${ofApi(db)}`)]).toEqual([]),
    PATIENCE,
  )
  await db`update idempotency_keys set created_at = created_at - interval '10 minutes' where status is null`
}

const ofApi = (db: Db) => db`datname = current_database() and application_name like 'svc-api%'`

/**
 * What the inbox took while others waited is folded in its turn. What was being folded at both kills has been set aside, and is handed in
 * again, as an operator would.
 */
async function emptyInbox(): Promise<void> {
  const { db } = service.database
  await vi.waitFor(
    async () => expect([...(await db`select id from inbox_items where status = 'received'`)]).toEqual([]),
    PATIENCE,
  )
  const aside = await db<{ id: string; code: string }[]>`
    select id, error ->> 'code' as code from inbox_items where status = 'failed'`
  expect(aside.filter(({ code }) => code !== 'process_ended')).toEqual([])
  if (aside.length === 0) return
  const request = { mode: 'if_no_run', ids: aside.map(({ id }) => id) }
  const { status, body } = await service.call('POST', '/triggers/inbox/replay', request)
  expect(status, JSON.stringify(body)).toBe(200)
}

async function proveTruth({ services }: Extent): Promise<void> {
  const { db } = service.database
  expect(new Set(storm.answers.map(({ status }) => status))).toEqual(new Set([202]))
  await emptyInbox()
  await proveFold(db, accepted())
  await proveOneActive(db)
  await proveAnswers(db, storm.answers)
  await proveTimelines(db, service.home)
  const [runs] = await db<{ succeeded: number; started: number }[]>`
    select count(*) filter (where status = 'succeeded')::int as succeeded, count(*)::int as started from runs`
  expect(runs?.succeeded).toBeGreaterThan(0)
  expect(runs?.started).toBeGreaterThan(services)
  expect(demo.state().actions).toHaveLength(runs?.succeeded ?? 0)
}

describe('an alert storm', () => {
  test('two kills of the worker, runs that end meanwhile, repeats: each alert counts once, one active run each', async () => {
    await start()
    const repeated = (n: number) => ({ key: `delivery-${n}`, repeats: 1 })
    await rage(
      LARGE,
      (n) => (n % 10 === 0 ? repeated(n) : {}),
      async () => {
        await killHard(worker)
        worker = await service.startWorker()
      },
    )
    expect(storm.unanswered()).toBe(0)
    await proveTruth(LARGE)
  })

  test.each([
    ['an inbox', { OBS_TRIGGER_DURABLE: '1', SVC_SECRET_KEY: 'a master key of this test, long enough' }],
    ['no inbox', {}],
  ])('two kills of the API with %s: what its sender repeats until it is answered counts once', async (_, env) => {
    await start(env)
    await rage(
      SMALL,
      (n) => ({ key: `delivery-${n}`, repeats: n % 10 === 0 ? 1 : 0 }),
      async () => {
        await killHard(api)
        await ageLostRequests()
        api = await service.startApi()
      },
    )
    expect(storm.unanswered()).toBeGreaterThan(0)
    await proveTruth(SMALL)
  })
})
