import { type ChildProcess, execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RemoteJobDetail, RemoteJobRecord } from '#core/remote-job/schema.ts'
import { verifyAttestation } from '#platform/temporal/verify-attestation.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { exitSignal } from '#test/support/crash-service.ts'
import { temporalProgram } from '#test/support/embedded.ts'
import { buildGoWorker, LANGUAGES, type Language, startExampleWorker } from '#test/support/example-workers.ts'
import { type OwnWorker, startOwnWorker } from '#test/support/own-worker.ts'
import { needs } from '#test/support/programs/needs.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { workerKey } from '#test/support/worker-key.ts'

const PACKS = fileURLToPath(new URL('../packs/remote', import.meta.url))
const BUILD_MS = 600_000
const key = workerKey()
const exec = promisify(execFile)

const environment = (name: string, queues: Record<string, object>) => ({
  [`environments/${name}.yaml`]: JSON.stringify({ name, class: 'development', queues }),
})

let service: TestService
let worker: OwnWorker

beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  const languages = LANGUAGES.map((name) => ({
    ...environment(name, { hello: { task_queue: `hello-${name}`, attest: key.attest } }),
    ...environment(`plain-${name}`, { hello: { task_queue: `hello-${name}` } }),
  }))
  service = await startTestService({
    ...{ postgres_url, temporal_address },
    env: { SVC_PACKS_DIR: PACKS, SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
    files: Object.assign({}, ...languages),
    api: false,
    workers: 0,
  })
  worker = await startOwnWorker({ address: temporal_address, namespace: service.namespace })
  const queues = [
    environment('development', { ml: { task_queue: worker.taskQueue } }),
    environment('signed', { ml: { task_queue: worker.taskQueue, attest: key.attest } }),
    environment('deserted', { ml: { task_queue: 'nobody-is-here', attest: key.attest } }),
  ]
  await writeFile(join(service.home, 'worker.pem'), key.pem)
  for (const [file, text] of queues.flatMap((each) => Object.entries(each)))
    await writeFile(join(service.home, file), text)
  await service.startApi()
  await service.startWorker()
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
})

async function start(template: string, inputs: object, environment = 'development'): Promise<string> {
  const sent = { inputs, environment }
  const { status, body } = await service.call<RunBody>('POST', `/packs/remote/${template}/run`, sent)
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}

/** Approves what a run waits for; answers with what it asked. */
async function approve(id: string): Promise<string> {
  await awaiting(service, id)
  const { body } = await service.call<{ plan_hash: string; because: string[] }>('GET', `/runs/${id}/pending-approval`)
  await service.call('POST', `/runs/${id}/resume`, { decision: 'approve', plan_hash: body.plan_hash })
  return body.because.join()
}

const jobOf = (id: string, done: (job: RemoteJobRecord) => boolean = () => true) =>
  service
    .until<RemoteJobRecord[]>(
      `/console/api/remote-jobs?run_id=${id}`,
      ([newest]) => newest !== undefined && done(newest),
    )
    .then(([newest]) => newest as RemoteJobRecord)
const detail = (id: string, done: (job: RemoteJobDetail) => boolean) =>
  service.until<RemoteJobDetail>(`/console/api/remote-jobs/${id}`, done)

/** The end of a job in the audit log. */
const endOnRecord = (job_id: string) =>
  chainEvents<{ action: string; subject: { id: string }; data: Record<string, unknown> }>(service.home).find(
    ({ action, subject }) => action === 'remote_job.ended' && subject.id === job_id,
  )?.data

describe('a worker by the example', () => {
  let running: ChildProcess | undefined
  afterEach(stop)

  async function stop(): Promise<void> {
    if (running === undefined) return
    const gone = exitSignal(running)
    running.kill('SIGKILL')
    await gone
    running = undefined
  }

  function run(language: Language, keyFile = 'worker.pem'): void {
    const env = {
      ...{ TEMPORAL_ADDRESS: inject('temporal_address'), TEMPORAL_NAMESPACE: service.namespace },
      ...{ TASK_QUEUE: `hello-${language}`, SVC_JOB_KEY: join(service.home, keyFile) },
    }
    running = startExampleWorker(language, env, goFile())
  }
  const goFile = () => join(service.home, 'go-worker')

  async function greets(language: string): Promise<void> {
    const names = ['Zoë', 'a "quoted" <name> & more', '\u2028 line']
    const greetings = names.map((name) => `Hello ${name}`)
    for (const place of [`plain-${language}`, language]) {
      const id = await start('greet', { names }, place)
      await approve(id)
      const done = await ended(service, id)
      const result = { greetings, idempotency_key: `${id}:greet` }
      expect(done).toMatchObject({ status: 'succeeded', outputs: { result } })
      const job = await jobOf(id)
      expect(job).toMatchObject({ state: 'returned', attest: place === language ? key.attest : null })
      if (place !== language) continue
      await expect.poll(() => endOnRecord(job.id)).toBeDefined()
      // what anybody can check once more from the record alone
      const { attestation } = endOnRecord(job.id) as { attestation: { signature: string; result_digest: string } }
      const { run_id, step_id, attempt, activity, plan_hash, input_digest } = job
      const said = [run_id, step_id, attempt, activity, plan_hash, input_digest, attestation.result_digest]
      const text = ['svc.remote-job.v1', ...said].join('\n')
      expect(verifyAttestation({ key: key.attest, text, signature: attestation.signature })).toBe(true)
    }
  }

  /** One that cannot sign what it is asked to sign does nothing. */
  async function needsKey(language: Language): Promise<void> {
    await stop()
    run(language, 'nowhere.pem')
    const id = await start('greet', { names: ['Zoë'] }, language)
    await approve(id)
    expect(await ended(service, id)).toMatchObject({
      ...{ status: 'failed', error: { message: expect.stringContaining('no key to sign with') } },
    })
  }

  test('in TypeScript does a step, and signs where it is asked to', async () => {
    run('typescript')
    await greets('typescript')
    await needsKey('typescript')
  })

  test('in Python does the same', needs('temporalpython'), async () => {
    run('python')
    await greets('python')
    await needsKey('python')
  })

  describe('in Go', needs('go'), () => {
    beforeAll(() => buildGoWorker(goFile()), BUILD_MS)

    test('does the same', async () => {
      run('go')
      await greets('go')
      await needsKey('go')
    })
  })
})

describe('somebody who reaches Temporal', () => {
  /** The command line of Temporal, about the activity of a job. */
  async function temporal(verb: string, { id, run_id, step_id, attempt }: RemoteJobRecord, ...flags: string[]) {
    const at = ['--workflow-id', id, '--activity-id', `${run_id}:${step_id}:${attempt}`]
    const server = ['--address', inject('temporal_address'), '--namespace', service.namespace]
    await exec((await temporalProgram()).binary, ['activity', verb, ...at, ...server, ...flags])
  }

  async function startedJob(inputs: object): Promise<RemoteJobRecord> {
    const id = await start('once', inputs)
    const job = await jobOf(id, ({ state }) => state === 'running')
    await detail(job.id, ({ pending }) => Boolean(pending?.heartbeat_at) || inputs !== SLOW)
    return job
  }
  const SLOW = { do: 'slow' }

  /** A person is asked, and told why; the next attempt is an ordinary one. */
  async function isAsked(job: RemoteJobRecord, code: string, why: RegExp): Promise<void> {
    expect(await detail(job.id, ({ ended_at }) => ended_at !== null)).toMatchObject({
      ...{ state: 'unknown', failure: { code }, result_digest: null },
    })
    worker.release(job.run_id)
    expect(await approve(job.run_id)).toMatch(why)
    expect(await ended(service, job.run_id)).toMatchObject({ status: 'succeeded' })
    expect((await jobOf(job.run_id)).attempt).toBe(2)
  }

  const STRANGER = ['--identity', 'stranger']
  test.each([
    ['complete', ['--result', '{"n":666}', ...STRANGER], /it was ended by stranger, and started by /],
    ['fail', ['--reason', 'no', ...STRANGER], /it was ended by stranger, and started by /],
    ['reset', [], /its worker was told that it is reset or paused/],
  ])('ends no step by %s', async (verb, flags, why) => {
    const job = await startedJob(SLOW)
    await temporal(verb, job, ...flags)
    await isAsked(job, 'activity_interfered', why)
  })

  test('has a paused activity shown as that, and what is started twice is asked about', async () => {
    const job = await startedJob(SLOW)
    await temporal('pause', job, ...STRANGER)
    // its worker has heard of it, and stopped
    await detail(job.id, ({ pending }) => pending?.state === 'paused' && pending.attempt === 2)
    worker.release(job.run_id)
    await temporal('unpause', job)
    await isAsked(job, 'activity_interfered', /it was started 2 times, and may be started once/)
  })

  test('has an activity repeated that may not be: it is asked about', async () => {
    const job = await startedJob({ do: 'lost' })
    await temporal('update-options', job, '--retry-maximum-attempts', '3')
    await isAsked(job, 'activity_interfered', /it was started 2 times, and may be started once/)
  })

  test('does nothing twice by starting the workflow of a job once more: it is asked about', async () => {
    const job = await startedJob(SLOW)
    await service.temporal.workflow.start('remoteJobV1', {
      ...{ taskQueue: 'ledger', workflowId: job.id, args: [{ job_id: job.id }] },
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    })
    await jobOf(job.run_id, ({ ended_at }) => ended_at !== null)
    expect(worker.of(job.run_id)).toHaveLength(1)
    await isAsked(job, 'activity_interfered', /its workflow was started once more, or reset/)
  })

  test('who moves an activity to another worker cannot sign its result', async () => {
    const id = await start('once', SLOW, 'deserted')
    const { id: job_id, step_id, attempt } = await jobOf(id, ({ state }) => state === 'running')
    await detail(job_id, ({ pending }) => pending?.state === 'scheduled')
    await service.temporal.workflowService.updateActivityOptions({
      ...{ namespace: service.namespace, execution: { workflowId: job_id }, id: `${id}:${step_id}:${attempt}` },
      activityOptions: { taskQueue: { name: worker.taskQueue } },
      updateMask: { paths: ['task_queue.name'] },
    })
    const job = await jobOf(id, ({ ended_at }) => ended_at !== null)
    expect(job).toMatchObject({ state: 'unknown', failure: { code: 'not_attested' }, result_digest: null })
    expect((await awaiting(service, id)).status).toBe('awaiting_approval')
  })

  test('a worker that does not sign does no step that asks for it', async () => {
    const id = await start('once', SLOW, 'signed')
    await awaiting(service, id)
    const job = await jobOf(id)
    expect(job).toMatchObject({ state: 'unknown', failure: { code: 'not_attested' } })
    await expect.poll(() => endOnRecord(job.id)).toMatchObject({ state: 'unknown', failure: { code: 'not_attested' } })
  })
})
