import type { ChildProcess } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { poll } from '#platform/embedded/processes.ts'
import { lineUp, testDraft } from '#test/support/audit-log.ts'
import { proveAudit } from '#test/support/crash-record.ts'
import { exitSignal, startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { type CutLine, layLine } from '#test/support/cut-line.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'
import { clockOff } from '#test/support/wrong-clocks.ts'

/** `npm run leadership` does each ten times */
const ROUNDS = Number(process.env['LEADERSHIP_ROUNDS'] ?? 1)
const TAKEOVER_MS = 5_000

interface Leader {
  pid: number
  epoch: number
}

let service: TestService
let demo: DemoService
let line: CutLine
/** leads at the beginning of every test, and again when its successor has stopped; its line to the database can be silenced */
let first: ChildProcess
let next: ChildProcess | undefined

beforeAll(async () => {
  demo = await startDemoService()
  service = await startCrashService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
  const direct = new URL(service.database.url)
  line = await layLine(direct.host)
  first = await service.startWorker({ DATABASE_URL: service.database.url.replace(direct.host, line.address) })
})
afterEach(stopNext)
afterAll(async () => {
  await service?.stop()
  await line?.stop()
  await demo?.stop()
})

async function startNext(env: Record<string, string> = {}): Promise<ChildProcess> {
  await leads(first, 10_000)
  next = await service.startWorker(env)
  return next
}

async function stopNext(): Promise<void> {
  line.resume()
  first.kill('SIGCONT')
  next?.kill('SIGTERM')
  if (next !== undefined) await exitSignal(next)
  next = undefined
}

async function leader(): Promise<Leader> {
  const [row] = await service.database.db<{ holder: string; epoch: number }[]>`
    select holder, epoch from leases where name = 'audit' and expires_at > clock_timestamp()`
  return { pid: Number(row?.holder.split(':').at(-2) ?? 0), epoch: row?.epoch ?? 0 }
}

async function leads(worker: ChildProcess, within_ms = TAKEOVER_MS): Promise<Leader> {
  const found = await poll(
    async () => {
      const now = await leader()
      return now.pid === worker.pid ? now : undefined
    },
    within_ms,
    20,
  )
  if (!found) throw new Error(`worker ${worker.pid} did not lead within ${within_ms} ms`)
  return found
}

/** A start is answered, and its record is in the chain. */
async function startIsOnRecord(within_ms: number): Promise<string> {
  const id = await startCrashRun(service, 'post', { url: demo.url })
  const isChained = await poll(
    async () => {
      const [row] = await service.database.db<{ n: number }[]>`
        select count(*)::int as n from audit_outbox where run_id = ${id} and seq is not null`
      return (row?.n ?? 0) > 0
    },
    within_ms,
    20,
  )
  expect(isChained).toBe(true)
  return id
}

/** Records without end, so that whatever happens to the leader happens while it writes. */
function keepRecording(): () => Promise<void> {
  let stopped = false
  const running = (async () => {
    while (!stopped) {
      await lineUp(service.database, [testDraft(0), testDraft(1)])
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  return async () => {
    stopped = true
    await running
  }
}

/** The chain is whole, file and database are one, and nobody was told otherwise. A late write that was cut is on record. */
async function expectSoundChain(): Promise<void> {
  await proveAudit(service.database.db, service.home)
  const actions: string[] = []
  const lines = createInterface({ input: createReadStream(join(service.home, 'audit.jsonl')) })
  for await (const line of lines) actions.push(JSON.parse(line).event.action)
  expect(actions.filter((action) => ['sink.refused', 'sink.healed'].includes(action))).toEqual([])
  const [file] = await service.database.db`select problem, findings from audit_file`
  expect(file).toMatchObject({ problem: null, findings: 0 })
}

interface Failure {
  /** what happens to the leader, and how it is undone */
  befall(): void
  undo(): void
}

/** Another process leads in time; the one before writes nothing when it is back, and follows. */
async function expectTakeover(next: ChildProcess, { befall, undo }: Failure): Promise<void> {
  const before = await leader()
  const stop = keepRecording()
  const began = performance.now()
  befall()
  const after = await leads(next)
  const id = await startIsOnRecord(Math.max(1, TAKEOVER_MS - (performance.now() - began)))
  expect(after.epoch).toBeGreaterThan(before.epoch)
  undo()
  // it is awake, and says so by its heartbeat
  const woke = await poll(async () => {
    const rows = await service.database.db`
      select from worker_heartbeats where not audit_leader and split_part(worker_id, ':', 2) = ${String(before.pid)}
        and seen_at > now() - interval '1 second'`
    return rows.length > 0
  }, PATIENCE.timeout)
  expect(woke).toBe(true)
  await stop()
  expect((await ended(service, id)).status).toBe('succeeded')
  expect(await leader()).toEqual(after)
  await expectSoundChain()
}

const rounds = async (work: () => Promise<void>): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await work()
    await stopNext()
  }
}
const timeout = 60_000 + ROUNDS * 60_000
const frozen = { befall: () => first.kill('SIGSTOP'), undo: () => first.kill('SIGCONT') }

test('a leader that is frozen is replaced in time, and writes nothing when it wakes', { timeout }, () =>
  rounds(async () => expectTakeover(await startNext(), frozen)),
)

test(
  'a leader whose line to the database goes silent is replaced in time, and what arrives late changes nothing',
  { timeout },
  () => rounds(async () => expectTakeover(await startNext(), { befall: line.swallow, undo: line.resume })),
)

test.each([-60_000, 60_000])('clocks that are %i ms off take nothing over early, nor late', { timeout }, (ms) =>
  rounds(async () => {
    const { epoch } = await leads(first, 10_000)
    const successor = await startNext(clockOff(ms))
    // longer than any lease or lock lasts without being renewed
    const isTaken = await poll(async () => (await leader()).pid !== first.pid, 4_000)
    expect([isTaken ?? false, (await leader()).epoch]).toEqual([false, epoch])
    await expectTakeover(successor, frozen)
  }),
)
