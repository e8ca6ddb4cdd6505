import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import { proveAudit } from '#test/support/crash-record.ts'
import { CRASH_PACKS, killHard } from '#test/support/crash-service.ts'
import { type PaidTarget, startPaidTarget, TREATMENTS, type Treatment } from '#test/support/paid-target.ts'
import { proveDays, proveLedger } from '#test/support/prove-ledger.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { seededRandom } from '#test/support/seeded-random.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const ACTIONS = Number(process.env['SVC_STORM'] ?? 150)
const SEED = Number(process.env['SVC_SEED'] ?? 7)
const PRICE = 60_000
/** so many calls fit under the cap of a run, and under those of the day: less than all runs would like to make */
const FITS = { run: 8, metered: Math.round(ACTIONS * 0.35), workspace: ACTIONS }
const WORKERS = 2
const KILLS = Math.max(1, Math.floor(ACTIONS / 200))
const STORM_MS = 120_000 + ACTIONS * 600

const random = seededRandom(SEED)
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

const usd = (micro: number) => micro / 1_000_000
const file = (name: string, caps: string) =>
  `name: ${name}\nclass: development\negress: [loopback]\ncost_gate: { ${caps} }\n`

let service: TestService
let treat: (run: string, path: string) => Treatment = () => 'lost'
let onCall: (run: string, path: string) => void = () => undefined
let target: PaidTarget
const workers: ChildProcess[] = []

beforeAll(async () => {
  target = await startPaidTarget(
    (run, path) => treat(run, path),
    (run, path) => onCall(run, path),
  )
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    env: { SVC_PACKS_DIR: CRASH_PACKS, SVC_LANE_BACKGROUND: '6' },
    files: {
      'environments/dear.yaml': file('dear', 'max_usd: 1'),
      'environments/scarce.yaml': file('scarce', 'max_usd: 5, daily_usd: 1'),
      'environments/plain.yaml': file('plain', `max_usd: ${usd(FITS.run * PRICE)}`),
      'environments/metered.yaml': file(
        'metered',
        `max_usd: ${usd(FITS.run * PRICE)}, daily_usd: ${usd(FITS.metered * PRICE)}`,
      ),
    },
  })
  workers.push(...(await Promise.all(Array.from({ length: WORKERS }, () => service.startWorker()))))
})
afterAll(async () => {
  await service?.stop()
  await target?.stop()
})

type Started = RunBody & { total_usd: number; reserved_usd: number }

async function start(environment: string, usdEach: number, idempotent = true, headers = {}): Promise<string> {
  const inputs = { url: `${target.url}/${environment}`, usd: usdEach, idempotent }
  const asked = { inputs, environment }
  const { status, body } = await service.call<RunBody>('POST', '/packs/crash/paid/run', asked, headers)
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}

const sentBy = (id: string) => target.received.by_run.get(id) ?? 0

test.each([
  ['lost', 'connection_lost'],
  ['never', 'timeout'],
  ['broken', 'http_status'],
  ['away', 'http_status'],
  ['too_many', 'http_status'],
] as const)(
  'a call of 0.60 under a cap of 1.00 is sent once when its answer is %s, and charged',
  async (treatment, code) => {
    treat = () => treatment
    const id = await start('dear', 0.6)
    const run = (await ended(service, id)) as Started
    expect(run).toMatchObject({ status: 'failed', error: { code: 'BudgetExceeded' }, total_usd: 0.6, reserved_usd: 0 })
    expect(run.error).toMatchObject({ details: { last_failure: { code } } })
    expect(sentBy(id)).toBe(1)
    const books = await proveLedger(service.database.db, id)
    expect(books.attempts).toMatchObject([{ step: 'one', attempt: 1, micro_usd: 600_000, basis: 'estimate' }])
  },
)

test('five runs whose calls lose their answers share a day of 1.00: one call of 0.60 is sent', async () => {
  treat = () => 'lost'
  const ids = await Promise.all(Array.from({ length: 5 }, () => start('scarce', 0.6)))
  for (const id of ids) expect((await ended(service, id)).error?.code).toBe('BudgetExceeded')
  expect(target.received.by_path.get('/scarce')).toBe(1)
  expect(await proveDays(service.database.db)).toContainEqual(
    expect.objectContaining({ environment: 'scarce', spent: 600_000 }),
  )
})

test('a call that is declared not idempotent is not repeated after a plain 503, and charged once when a person says it is done', async () => {
  treat = () => 'away'
  const id = await start('dear', 0.3, false)
  await service.until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval')
  expect((await service.call<Started>('GET', `/runs/${id}`)).body).toMatchObject({ total_usd: 0.3, reserved_usd: 0 })
  expect(sentBy(id)).toBe(1)
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'reject' })).status).toBe(200)
  expect(await ended(service, id)).toMatchObject({ status: 'rejected', total_usd: 0.3 })
  expect(sentBy(id)).toBe(1)
  await proveLedger(service.database.db, id)
})

test(
  'whatever fails, at no moment has more been sent than the caps allow, and the ledger is what was sent',
  async () => {
    const limits = { daily_usd: usd(FITS.workspace * PRICE) }
    const made = await service.call<{ id: string }>('POST', '/workspaces', { slug: 'storm', name: 'Storm', limits })
    const headers = { 'x-svc-workspace': made.body.id }
    const overshot = watchTarget()
    const storm: Storm = { ids: [], headers, over: false, hushed: false }
    const common: Treatment[] = ['ok', 'ok', 'ok', 'late', 'lost', 'lost']
    treat = () => (storm.hushed ? 'never' : pick([...common, ...(Object.keys(TREATMENTS) as Treatment[])]))

    const beside = Promise.all([killWorkers(storm), observe(storm), answerGates(storm)])
    beside.catch(() => undefined)
    try {
      for (let n = 0; n < ACTIONS / 2.2; n += 1) {
        const id = await start(pick(['plain', 'metered']), usd(PRICE), random() < 0.75, headers)
        storm.ids.push(id)
        const cancel = () => void service.call('POST', `/runs/${id}/cancel`, {}, headers).catch(() => undefined)
        if (random() < 0.12) setTimeout(cancel, random() * 1_500)
        await pause(random() * 60)
      }
      const ends: Record<string, number> = {}
      for (const id of storm.ids) {
        const { error, status } = await ended(service, id, STORM_MS, headers)
        ends[error?.code ?? status] = (ends[error?.code ?? status] ?? 0) + 1
      }
      storm.over = true
      const [killed, observations, answered] = await beside

      const sums = { attempts: 0, charged: 0, sent: 0, lost: 0 }
      for (const id of storm.ids) {
        const one = await compare(id)
        for (const name of ['attempts', 'charged', 'sent', 'lost'] as const) sums[name] += one[name]
      }
      const days = await proveDays(service.database.db)
      await proveAudit(service.database.db, service.home)
      const treated = Object.fromEntries(target.received.treated)
      const figures = { runs: storm.ids.length, ...sums, killed, observations, answered, overshot, ends, treated, days }
      process.stdout.write(`storm ${JSON.stringify(figures)}\n`)
      expect(overshot).toEqual([])
      // the caps were there to be met
      expect(days.some((day) => day.environment === 'metered' && day.spent > 0.9 * day.cap)).toBe(true)
      expect(Object.keys(ends)).toEqual(expect.arrayContaining(['succeeded', 'BudgetExceeded', 'cancelled']))
      expect(Object.keys(treated).sort()).toEqual(Object.keys(TREATMENTS).sort())
      expect(sums.sent).toBeGreaterThan(ACTIONS * 0.6)
      expect(sums.lost).toBeGreaterThan(0)
    } finally {
      storm.over = true
    }
  },
  STORM_MS,
)

interface Storm {
  ids: string[]
  headers: Record<string, string>
  over: boolean
  /** no call is answered: workers die in the middle of what they do */
  hushed: boolean
}

/** Counts against every cap at the moment a call is received; answers what was too much. */
function watchTarget(): string[] {
  const overshot: string[] = []
  const before = target.received.all
  const today = () => new Date().toISOString().slice(0, 10)
  const days = new Set([today()])
  onCall = (run) => {
    days.add(today())
    const metered = target.received.by_path.get('/metered') ?? 0
    if (sentBy(run) > FITS.run) overshot.push(`${run}: ${sentBy(run)} calls`)
    if (metered > FITS.metered * days.size) overshot.push(`environment: ${metered} calls`)
    const all = target.received.all - before
    if (all > FITS.workspace * days.size) overshot.push(`workspace: ${all} calls`)
  }
  return overshot
}

/** What the ledger says of a run, beside what the target received of it. */
async function compare(id: string) {
  const { db } = service.database
  const { attempts, spent } = await proveLedger(db, id)
  const charged = attempts.filter((attempt) => attempt.micro_usd > 0).length
  const [{ lost } = { lost: 0 }] = await db<{ lost: number }[]>`
    select count(*)::int as lost from audit_outbox
    where draft ->> 'run_id' = ${id} and draft #>> '{data,state}' = 'lost'`
  const sent = sentBy(id)
  expect(spent, id).toBe(charged * PRICE)
  // nobody can say of an attempt whose worker was killed whether it had been sent: it is charged
  expect(sent, id).toBeLessThanOrEqual(charged)
  expect(sent, id).toBeGreaterThanOrEqual(charged - lost)
  return { attempts: attempts.length, charged, sent, lost }
}

/** Along the way workers die in the middle of calls, first all of them, later one, and others come. */
async function killWorkers(storm: Storm): Promise<number> {
  const before = target.received.all
  for (let killed = 0; ; killed += 1) {
    const due = before + ((killed + 1) * ACTIONS) / (KILLS + 2)
    await poll(() => storm.over || target.received.all >= due, STORM_MS)
    if (storm.over || killed === KILLS) return killed
    const seen = target.received.all
    storm.hushed = true
    await poll(() => target.received.all > seen, 10_000)
    const victims = workers.splice(0, killed === 0 ? workers.length : 1)
    await Promise.all(victims.map(killHard))
    storm.hushed = false
    workers.push(...(await Promise.all(victims.map(() => service.startWorker()))))
  }
}

/** The books of any run agree at any moment (it looks some thirty times a second), and hold at least what the target has received. */
async function observe(storm: Storm): Promise<number> {
  let count = 0
  for (; !storm.over; count += 1) {
    await pause(30)
    const id = pick(storm.ids)
    if (id === undefined) continue
    const sent = sentBy(id)
    const { spent, reserved } = await proveLedger(service.database.db, id)
    expect(sent * PRICE, id).toBeLessThanOrEqual(spent + reserved)
    if (count % 10 === 0) await proveDays(service.database.db)
  }
  return count
}

/** A person answers what nobody else can know, and looks again ten times a second. */
async function answerGates(storm: Storm): Promise<number> {
  let count = 0
  while (!storm.over) {
    await pause(100)
    const waiting = '/runs?status=awaiting_approval&limit=50'
    const { body } = await service.call<RunBody[]>('GET', waiting, undefined, storm.headers)
    for (const { id } of body) {
      const answer = { decision: pick(['approve', 'approve', 'reject']) }
      const { status } = await service.call('POST', `/runs/${id}/resume`, answer, storm.headers)
      if (status === 200) count += 1
    }
  }
  return count
}
