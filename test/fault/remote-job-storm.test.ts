import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RemoteJobRecord } from '#core/remote-job/schema.ts'
import { TERMINAL_STATUSES } from '#core/run/status.ts'
import { createDice } from '#test/attack/dice.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { killHard } from '#test/support/crash-service.ts'
import { buildGoWorker, LANGUAGES, type Language, startExampleWorker } from '#test/support/example-workers.ts'
import { needs } from '#test/support/programs/needs.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/remote', import.meta.url))
/** `SVC_STORM=300` is the whole storm; the small one is for every day. */
const KILLS = Number(process.env['SVC_STORM'] ?? 6)
const SEED = 32
const WITHIN_MS = 120_000
const MAX_ATTEMPTS = 4
const NAMES = Array.from({ length: 400 }, (_, n) => `name ${n}`)
/** those of ours, and those that are not */
const WORKERS = ['ours', 'ours too', ...LANGUAGES] as const
type WorkerName = (typeof WORKERS)[number]

let service: TestService
const workers = new Map<WorkerName, ChildProcess>()

const goFile = () => join(service.home, 'go-worker')
const isOurs = (name: WorkerName): name is Exclude<WorkerName, Language> => name.startsWith('ours')

async function startWorker(name: WorkerName): Promise<void> {
  const env = {
    ...{ TEMPORAL_ADDRESS: inject('temporal_address'), TEMPORAL_NAMESPACE: service.namespace },
    TASK_QUEUE: `storm-${name}`,
  }
  workers.set(name, isOurs(name) ? await service.startWorker() : startExampleWorker(name, env, goFile()))
}

const ids: string[] = []

/** Starts a run, and rejects what a person is asked about it; answers when it has ended. */
async function runOnce(template: string, language: Language): Promise<void> {
  const sent = { inputs: { names: NAMES }, environment: language }
  const { body } = await service.call<RunBody>('POST', `/packs/remote/${template}/run`, sent)
  ids.push(body.id)
  const ended = ({ status }: RunBody) => TERMINAL_STATUSES.some((each) => each === status)
  const asks = (run: RunBody) => run.status === 'awaiting_approval' || ended(run)
  if (ended(await service.until<RunBody>(`/runs/${body.id}`, asks, WITHIN_MS))) return
  const { body: gate } = await service.call<{ kind: string; plan_hash: string }>(
    ...(['GET', `/runs/${body.id}/pending-approval`] as const),
  )
  expect(gate.kind).toBe('outcome_unknown')
  await service.call('POST', `/runs/${body.id}/resume`, { decision: 'reject', plan_hash: gate.plan_hash })
  await service.until<RunBody>(`/runs/${body.id}`, ended, WITHIN_MS)
}

/** How often the engine has started the activity of a job. */
async function startsOf({ id }: RemoteJobRecord): Promise<number> {
  const { events } = await service.temporal.workflow.getHandle(id).fetchHistory()
  return (events ?? []).filter(({ activityTaskStartedEventAttributes: started }) => started).length
}

describe('workers that are killed, ours and others', needs('temporalpython', 'go'), () => {
  beforeAll(async () => {
    const environment = (name: Language) =>
      JSON.stringify({ name, class: 'development', queues: { hello: { task_queue: `storm-${name}` } } })
    service = await startTestService({
      ...{ postgres_url: inject('postgres_url'), temporal_address: inject('temporal_address'), workers: 0 },
      env: { SVC_PACKS_DIR: PACKS, SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
      files: Object.fromEntries(LANGUAGES.map((name) => [`environments/${name}.yaml`, environment(name)])),
    })
    await buildGoWorker(goFile())
    await Promise.all(WORKERS.map(startWorker))
  }, 600_000)
  afterAll(async () => {
    for (const [name, worker] of workers) if (!isOurs(name)) worker.kill('SIGKILL')
    await service.stop()
  })

  test(`in TypeScript, Python and Go, ${KILLS} times: nothing is done twice that may not be, and every run has its end on record`, async () => {
    let killing = true
    const starters = LANGUAGES.map(async (language) => {
      for (let nth = 0; killing; nth += 1) await runOnce(nth % 2 === 0 ? 'storm' : 'storm-again', language)
    })
    for (let kill = 0; kill < KILLS; kill += 1) {
      const dice = createDice(SEED, kill)
      const name = dice.pick(WORKERS)
      const seen = ids.length
      // in the middle of what begins next
      await expect.poll(() => ids.length).toBeGreaterThan(seen)
      await new Promise((resolve) => setTimeout(resolve, dice.int(500)))
      const worker = workers.get(name)
      if (worker !== undefined) await killHard(worker)
      await startWorker(name)
    }
    killing = false
    await Promise.all(starters)

    const counts: Record<string, number> = {}
    for (const id of ids) {
      const { body: run } = await service.call<RunBody & { template: string }>('GET', `/runs/${id}`)
      const { body: jobs } = await service.call<RemoteJobRecord[]>('GET', `/console/api/remote-jobs?run_id=${id}`)
      const dispatched = jobs.filter(({ state }) => state !== 'not_dispatched')
      const starts = await Promise.all(dispatched.map(startsOf))
      expect(Math.max(0, ...starts), `${id}: an attempt is started once`).toBeLessThanOrEqual(1)
      expect(dispatched.length, id).toBeLessThanOrEqual(run.template === 'storm' ? 1 : MAX_ATTEMPTS)
      const returned = jobs.filter(({ state }) => state === 'returned')
      expect([id, returned.length]).toEqual([id, run.status === 'succeeded' ? 1 : 0])
      if (run.status === 'succeeded') expect(run.outputs).toEqual({ greeted: NAMES.length })
      await proveRunRecord(service.database.db, id)
      const what = `${run.template} ${run.status}, ${dispatched.length} dispatched`
      counts[what] = (counts[what] ?? 0) + 1
    }
    await proveAudit(service.database.db, service.home)
    process.stderr.write(`${KILLS} kills, ${ids.length} runs: ${JSON.stringify(counts)}\n`)
  }, 1_800_000)
})
