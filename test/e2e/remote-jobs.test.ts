import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import type { RemoteJobDetail, RemoteJobRecord } from '#core/remote-job/schema.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { exitSignal } from '#test/support/crash-service.ts'
import { docBlocks } from '#test/support/doc-blocks.ts'
import { type ForeignWorker, startForeignWorker } from '#test/support/foreign-worker.ts'
import { type OwnWorker, startOwnWorker } from '#test/support/own-worker.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/remote', import.meta.url))

let service: TestService
let worker: OwnWorker
let foreign: ForeignWorker

const bind = (task_queue: string) =>
  writeFile(
    join(service.home, 'environments/development.yaml'),
    `name: development\nqueues:\n  ml: { task_queue: ${task_queue} }\n  empty: { task_queue: nobody-listens }\n`,
  )

beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startTestService({
    ...{ postgres_url, temporal_address },
    env: { SVC_PACKS_DIR: PACKS, SVC_SECRET_KEY: 'the master key of this test, 32 bytes and more' },
    files: {
      'environments/development.yaml': 'name: development\n',
      'environments/staging.yaml': 'name: staging\nqueues: { ml: { task_queue: ml-gpu } }\n',
    },
    api: false,
    workers: 0,
  })
  foreign = await startForeignWorker(service, temporal_address)
  worker = await startOwnWorker({ address: temporal_address, namespace: service.namespace })
  await bind(worker.taskQueue)
  await service.startApi()
})
afterAll(async () => {
  await worker.stop()
  await foreign.stop()
  await service.stop()
})

async function start(template: string, inputs: object = {}, environment = 'development'): Promise<string> {
  const sent = { inputs, environment }
  const { status, body } = await service.call<RunBody>('POST', `/packs/remote/${template}/run`, sent)
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}

async function approve(id: string) {
  await awaiting(service, id)
  const { body } = await service.call<{ plan_hash: string; because: string[] }>('GET', `/runs/${id}/pending-approval`)
  await service.call('POST', `/runs/${id}/resume`, { decision: 'approve', plan_hash: body.plan_hash })
  return body
}

const jobsOf = async (id: string) =>
  (await service.call<RemoteJobRecord[]>('GET', `/console/api/remote-jobs?run_id=${id}`)).body
/** The newest job of a run, once it looks like this. */
const jobOf = (id: string, done: (job: RemoteJobRecord) => boolean) =>
  service.until<RemoteJobRecord[]>(`/console/api/remote-jobs?run_id=${id}`, ([job]) => job !== undefined && done(job))

const auditOf = (action: string, run_id: string) =>
  chainEvents<{ action: string; run_id?: string; data: Record<string, unknown> }>(service.home).filter(
    (event) => event.action === action && event.run_id === run_id,
  )

describe('a worker of ours that dies', () => {
  let next: ChildProcess | undefined
  afterEach(async () => {
    if (next === undefined) return
    const gone = exitSignal(next)
    next.kill('SIGTERM')
    await gone
  })

  test.each([
    ['before it dispatches', 'before_operator'],
    ['after it has dispatched', 'after_operator'],
    ['before it settles', 'after_settle'],
  ])('%s: the activity is done once', async (_, point) => {
    const dying = exitSignal(await service.startWorker({ SVC_KILL_POINT: point }))
    const id = await start('gated', { n: 7 })
    await approve(id)
    expect(await dying).toBe('SIGKILL')
    next = await service.startWorker()
    expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { n: 7 } })
    expect(worker.of(id)).toHaveLength(1)
    // one whose workflow had not started is taken back, and dispatched again
    const states = (await jobsOf(id)).map(({ state }) => state)
    expect(states.filter((state) => state !== 'not_dispatched')).toEqual(['returned'])
  })
})

describe('an activity', () => {
  beforeAll(async () => void (await service.startWorker({ SVC_LANE_BACKGROUND: '1', SVC_LANE_REALTIME: '1' })))

  test('is on record before it is dispatched, gets what it is for, and its result is an output', async () => {
    const id = await start('gated', { n: 4 })
    const { plan_hash } = await approve(id)
    const run = await ended(service, id)
    const [job] = await jobsOf(id)
    expect(run).toMatchObject({ status: 'succeeded', outputs: { n: 4, job: job?.id } })
    expect(job).toMatchObject({ ...{ step_id: 'job', queue: 'ml', state: 'returned', plan_hash } })
    // a slow machine may take an attempt back before it is dispatched
    const { attempt, input_digest } = job ?? {}
    expect(worker.of(id)).toMatchObject([
      {
        asked: { do: 'ok', n: 4 },
        context: {
          ...{ run_id: id, step_id: 'job', attempt },
          plan_hash,
          input_digest,
          idempotency_key: `${id}:job`,
        },
      },
    ])
    await expect.poll(() => auditOf('remote_job.ended', id)).toMatchObject([{ data: { state: 'returned' } }])
    const opened = auditOf('policy.decided', id).find(({ data }) => data['led_to'] === 'effect')
    expect(opened?.data['remote_job']).toMatchObject({ id: job?.id, task_queue: worker.taskQueue, input_digest })
    // charged once, at the settlement and not before
    const [charged] = await service.database.db`
      select count(*) filter (where gpu_micro_usd > 0)::int as entries, sum(gpu_micro_usd)::int as gpu from ledger_entries where run_id = ${id}`
    expect(charged).toEqual({ entries: 1, gpu: 250_000 })
  })

  test.each([
    ['wrong', 'answer_invalid', /does not fit the schema: \/n must be integer/],
    ['large', 'response_too_large', /1048\d+ bytes/],
    ['fail', 'activity_failed', /no device is free \\u\{202e\}/],
  ])('that answers %s fails its step', async (how, code, message) => {
    const id = await start('once', { do: how })
    expect(await ended(service, id)).toMatchObject({ status: 'failed', error: { code } })
    expect((await jobsOf(id))[0]).toMatchObject({ state: 'failed', failure: { code } })
    expect((await jobsOf(id))[0]?.failure?.message).toMatch(message)
  })

  test('whose worker is lost is asked about, and one that may be repeated is repeated', async () => {
    const [once, again] = [await start('once', { do: 'lost' }), await start('again', { do: 'lost' })]
    expect(await ended(service, again)).toMatchObject({ status: 'succeeded', outputs: { n: 2 } })
    // each attempt says what it is, and that it does the same as the one before
    expect(worker.of(again).map(({ context }) => context)).toMatchObject([
      { attempt: 1, idempotency_key: `${again}:job` },
      { attempt: 2, idempotency_key: `${again}:job` },
    ])
    const { because } = await approve(once)
    expect(because.join()).toContain('its worker sent no heartbeat in time')
    expect(await ended(service, once)).toMatchObject({ status: 'succeeded' })
    expect((await jobsOf(once)).map(({ state, attempt }) => [state, attempt])).toEqual([
      ['returned', 2],
      ['unknown', 1],
    ])
  })

  test('that nobody takes was not started: it is tried again, costs nothing and fails', async () => {
    const preflight = await service.call<{ checks: { id: string; status: string; message: string }[] }>(
      ...(['POST', '/packs/remote/nobody/preflight', { inputs: {} }] as const),
    )
    expect(preflight.body.checks.find(({ id }) => id === 'queues')).toMatchObject({
      ...{ status: 'warn', message: 'no worker listens on empty (nobody-listens)' },
    })
    const id = await start('nobody')
    expect(await ended(service, id)).toMatchObject({ status: 'failed', error: { code: 'queue_unattended' } })
    expect((await jobsOf(id)).map(({ attempt }) => attempt)).toEqual([2, 1])
    const [charged] = await service.database.db`
      select sum(gpu_micro_usd)::int as gpu from ledger_entries where run_id = ${id}`
    expect(charged).toEqual({ gpu: 0 })
  })

  test('says how far it is, and hears of the cancellation of its run', async () => {
    const id = await start('once', { do: 'slow' })
    const [job] = await jobOf(id, ({ state }) => state === 'running')
    const path = `/console/api/remote-jobs/${job?.id}`
    const { pending } = await service.until<RemoteJobDetail>(path, (found) => Boolean(found.pending?.heartbeat_at))
    expect(pending).toMatchObject({ state: 'started', attempt: 1 })
    expect(pending?.heartbeat).toMatch(/"step":\d+,"of":"many","said":"evil \\u\{202e\} text"/)
    expect((await service.call('POST', `/runs/${id}/cancel`, { reason: 'enough' })).status).toBe(202)
    expect(await ended(service, id)).toMatchObject({ status: 'cancelled' })
    const [step] = (await service.call<{ message: string }[]>('GET', `/runs/${id}/steps`)).body
    expect(step?.message).toContain('the effect may have happened')
    await jobOf(id, ({ state }) => state === 'cancelled')
    expect(worker.of(id)).toMatchObject([{ cancelled: true }])
  })

  test('leaves the slot of its lane to other runs', async () => {
    const id = await start('once', { do: 'slow' })
    await jobOf(id, ({ state }) => state === 'running')
    // each lane of the worker has one slot
    expect(await ended(service, await start('once', { do: 'ok' }))).toMatchObject({ status: 'succeeded' })
    expect((await jobsOf(id))[0]).toMatchObject({ state: 'running' })
    worker.release(id)
    expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { n: 3 } })
  })

  test('goes on under a halt, and the next step waits', async () => {
    const id = await start('once', { do: 'slow' })
    await jobOf(id, ({ state }) => state === 'running')
    const halt = await service.call<{ id: string }>('POST', '/console/api/halts', {
      ...{ scope: { environment: 'development' }, reason: 'a drill' },
    })
    worker.release(id)
    await jobOf(id, ({ state }) => state === 'returned')
    await service.call('DELETE', `/console/api/halts/${halt.body.id}`)
    expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { n: 3 } })
  })
})

describe('somebody who reaches Temporal', () => {
  test('records no result of a job: only its own workflow may, and once', async () => {
    const id = await start('once', { do: 'slow' })
    const [job] = await jobOf(id, ({ state }) => state === 'running')
    const claim = { job_id: job?.id, end: { kind: 'returned' } }
    expect(await foreign.ask('recordRemoteJob', claim)).toHaveProperty('failed')
    expect(
      await foreign.ask('recordRemoteJob', { job_id: 'job_7zzzzzzzzzzzzzzzzzzzzzzzzz', end: claim.end }),
    ).toHaveProperty('failed')
    worker.release(id)
    expect(await ended(service, id)).toMatchObject({ status: 'succeeded', outputs: { n: 3 } })
    // in the place of our workflow, after it
    const late = await foreign.ask('recordRemoteJob', claim, { as: { id: job?.id ?? '', type: 'remoteJobV1' } })
    expect(late).toHaveProperty('failed')
    expect((await jobsOf(id))[0]).toMatchObject({ state: 'returned', result_digest: expect.any(String) })
    const kinds = () =>
      chainEvents<{ action: string; subject: { id: string }; data: { kind?: string } }>(service.home)
        .filter(({ action, subject }) => action === 'claim.refused' && subject.id === job?.id)
        .map(({ data }) => data.kind)
    await expect.poll(kinds).toEqual(['foreign_workflow', 'other_execution'])
  })
})

test('the worker that the docs show does the step that they show', async () => {
  const [worker_js = ''] = docBlocks('remote-jobs', 'js')
  const shown = docBlocks('remote-jobs', 'yaml').map((block) => parse(block))
  const template = parse(readFileSync(join(PACKS, 'remote/templates/train.yaml'), 'utf8'))
  expect(shown).toContainEqual({ steps: template.steps })
  const env = { ...process.env, TEMPORAL_ADDRESS: inject('temporal_address'), TEMPORAL_NAMESPACE: service.namespace }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', worker_js], { env, stdio: 'ignore' })
  const id = await start('train', { dataset: 'faces' }, 'staging')
  await approve(id)
  const run = await ended(service, id)
  child.kill('SIGKILL')
  expect(run).toMatchObject({
    ...{ status: 'succeeded', outputs: { result: { model: `faces/${id}:train`, epochs: 3 } } },
  })
})

describe('a queue', () => {
  test('gets no secret input', async () => {
    const id = await start('gated', { n: 1, token: 'a very secret token' })
    const { error } = await ended(service, id)
    expect(error).toMatchObject({ code: 'validation_failed', step: 'job' })
    expect(error?.message).toContain('a secret input would be handed to')
  })

  test('that is bound to another task queue after the approval is another plan', async () => {
    const id = await start('gated', { n: 1 })
    await awaiting(service, id)
    const loaded = () => readFileSync(join(service.home, 'workers-main.ts.log'), 'utf8').split('environments loaded')
    const before = loaded().length
    await bind('nobody-listens')
    await expect.poll(() => loaded().length).toBeGreaterThan(before)
    await approve(id)
    const parked = await service.until<{ because: string[] }>(`/runs/${id}/pending-approval`, ({ because }) =>
      because.includes('plan_changed'),
    )
    expect(parked.because.join()).toContain(`the queue of the worker (was ml, the task queue ${worker.taskQueue}`)
    expect(worker.of(id)).toEqual([])
  })
})
