import { createHash } from 'node:crypto'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { chainEvents } from '#test/support/chain-lines.ts'
import { runCli } from '#test/support/cli.ts'
import { proveAudit, proveRunRecord } from '#test/support/crash-record.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { type ProcessLab, processLab, runs } from '#test/support/process-lab.ts'
import { awaiting, ended, eventsOf, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const USER = process.getuid?.() === 0 ? { user: 'nobody' } : {}
const LIMITS = { grace: '200ms' }

let lab: ProcessLab
let service: TestService

beforeAll(async () => {
  lab = await processLab()
  const train = await lab.script(
    'train',
    `echo 'progress: epoch 1 of 2'; printf 'progress: \\033[31mepoch 2\\n'
until [ -e '${lab.folder}/go' ]; do sleep 0.1; done
mkdir model; echo weights > model/weights.bin; echo '{"loss":0.5}' > metrics.json; echo "$1"`,
  )
  const stubborn = await lab.script(
    'stubborn',
    `trap '' TERM; sleep 600 & echo "progress: $$ $!"; while :; do wait; done`,
  )
  const link = join(lab.folder, 'link')
  await symlink(train, link)
  const processes = [
    { name: 'train', command: train, args: ['--data=[a-z]+'], limits: LIMITS, ...USER },
    { name: 'stubborn', command: stubborn, limits: LIMITS, ...USER },
    { name: 'link', command: link, ...USER },
  ]
  const environment = (name: string) => JSON.stringify({ name, processes, cost_gate: { max_usd: 50 } })
  service = await startTestService({
    ...{ postgres_url: inject('postgres_url'), temporal_address: inject('temporal_address'), workers: 1 },
    files: {
      'environments/development.yaml': environment('development'),
      'environments/production.yaml': environment('production'),
      'packs/raw/pack.yaml': 'apiVersion: svc/v1\nname: raw\nversion: 1.0.0\ntitle: Raw\ncapabilities: [process.run]\n',
      'packs/raw/templates/any.yaml': `apiVersion: svc/v1
id: any
title: Runs what it is told
risk: high
inputs:
  type: object
  required: [command]
  properties: { command: { type: string }, args: { type: array, items: { type: string }, default: [] } }
steps:
  - id: act
    operator: process.run
    requires_approval: true
    timeout: 1m
    with: { command: "\${{ inputs.command }}", args: "\${{ inputs.args }}" }
`,
    },
  })
})
afterAll(async () => {
  await service?.stop()
  await lab.remove()
})

async function start(template: string, inputs: object, environment = 'development') {
  return await service.call<RunBody>('POST', `/packs/${template}/run`, { inputs, environment })
}

async function started(inputs: object): Promise<string> {
  const { status, body } = await start('ml/gpu-job', inputs)
  expect(status, JSON.stringify(body)).toBe(202)
  return body.id
}

const progressOf = async (id: string) =>
  (await eventsOf(service, id))
    .filter(({ type, data }) => type === 'step.log' && data['level'] === 'progress')
    .map(({ data }) => data['message'])

const spent = (id: string) => service.call<{ gpu_usd: number }>('GET', `/runs/${id}`).then(({ body }) => body.gpu_usd)

test('a job tells how far it is while it runs, and leaves files whose digests are in the chain', async () => {
  const id = await started({ job: 'train', args: ['--data=shop'], gpu_usd: 2.5, keep: ['model', 'metrics.json'] })
  await expect.poll(() => progressOf(id), PATIENCE).toEqual(['epoch 1 of 2', '\\u{1b}[31mepoch 2'])
  expect((await service.call<RunBody>('GET', `/runs/${id}`)).body.status).toBe('running')
  const step = () => service.call<{ logs: { data: { message: string } }[] }>('GET', `/runs/${id}/steps/job`)
  expect((await step()).body.logs.map(({ data }) => data.message)).toContain('epoch 1 of 2')
  const env = { SVC_URL: service.url, HOME: service.home }
  const { stdout } = await runCli(['logs', id], { env })
  expect(stdout).toContain('epoch 1 of 2')
  expect(stdout).not.toContain('\u001b')

  await writeFile(join(lab.folder, 'go'), '')
  expect(await ended(service, id)).toMatchObject({
    status: 'succeeded',
    outputs: { artifacts: ['job/model/weights.bin', 'job/metrics.json'] },
  })
  expect(await progressOf(id)).toHaveLength(2)
  expect(await spent(id)).toBe(2.5)
  const artifacts = await service.call<{ name: string; digest: string }[]>('GET', `/runs/${id}/artifacts`)
  const digest = `sha256:${createHash('sha256').update('weights\n').digest('hex')}`
  expect(artifacts.body).toContainEqual(expect.objectContaining({ name: 'job/model/weights.bin', digest }))
  const file = await fetch(`${service.url}/runs/${id}/artifacts/download?name=job%2Fmodel%2Fweights.bin`)
  expect(await file.text()).toBe('weights\n')
  await proveAudit(service.database.db, service.home)
  const settled = chainEvents<{ action: string; run_id?: string; data: { artifacts?: string[] } }>(service.home).filter(
    ({ action, run_id }) => action === 'step.settled' && run_id === id,
  )
  expect(settled[0]?.data.artifacts).toContain(digest)
  await proveRunRecord(service.database.db, id)
})

test('a price above the limit asks a person, who sees it', async () => {
  const id = await started({ job: 'train', args: ['--data=shop'], gpu_usd: 12 })
  await awaiting(service, id)
  const { body } = await service.call<{ step: unknown; plan: { command: string } }>(
    'GET',
    `/runs/${id}/pending-approval`,
  )
  expect(JSON.stringify(body.step)).toContain('costly_job')
  expect(body.plan.command).toBe(`${join(lab.folder, 'train')} '--data=shop'`)
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'reject' })).status).toBe(200)
  await ended(service, id)
  expect(await spent(id)).toBe(0)
})

test('a cancel really stops a job that ignores it, with its children, and it is charged once', async () => {
  const id = await started({ job: 'stubborn', gpu_usd: 3 })
  await expect.poll(() => progressOf(id), PATIENCE).toHaveLength(1)
  const pids = String((await progressOf(id))[0])
    .split(' ')
    .map(Number)
  expect(await Promise.all(pids.map(runs))).toEqual([true, true])
  expect((await service.call('POST', `/runs/${id}/cancel`, {})).status).toBe(202)
  expect(await ended(service, id)).toMatchObject({ status: 'cancelled' })
  expect(await Promise.all(pids.map(runs))).toEqual([false, false])
  expect(await spent(id)).toBe(3)
  expect((await eventsOf(service, id)).filter(({ type }) => type === 'budget.settled')).toHaveLength(1)
  await proveRunRecord(service.database.db, id)
})

describe('before anybody is asked, where everything asks a person,', () => {
  const ARGS = ['--data=shop']
  test.each([
    ['a name that is not listed', { command: 'id' }, 'process_refused', 'environment'],
    ['a path', { command: '/usr/bin/id' }, 'validation_failed', undefined],
    ['a link', { command: 'link' }, 'process_refused', undefined],
    ['a relative path', { command: './train' }, 'validation_failed', undefined],
    ['a path that climbs', { command: '/usr/../bin/sh' }, 'validation_failed', undefined],
    ['a variable', { command: '$HOME/train' }, 'validation_failed', undefined],
    ['a character of a shell', { command: 'train;id' }, 'validation_failed', undefined],
    ['a substitution', { command: '/bin/`id`' }, 'validation_failed', undefined],
    ['an argument beyond its pattern', { command: 'train', args: ['--data=a;id'] }, 'process_refused', 'environment'],
    ['a further argument', { command: 'train', args: [...ARGS, '$(id)'] }, 'process_refused', 'environment'],
  ])('%s is refused', async (_what, inputs, code, _check) => {
    const { body } = await start('raw/any', inputs, 'production')
    const run = await ended(service, body.id)
    expect(run).toMatchObject({ status: 'failed', error: { code, step: 'act' } })
    const types = (await eventsOf(service, body.id)).map(({ type }) => type)
    for (const type of ['gate.opened', 'step.started', 'budget.reserved']) expect(types).not.toContain(type)
  })

  test('a job that is no name is refused when it is asked for', async () => {
    for (const job of ['/bin/sh', './train', '$HOME', 'train id', 'train;id'])
      expect((await start('ml/gpu-job', { job, gpu_usd: 1 }, 'production')).status, job).toBe(422)
  })

  test('the check before a start says what the environment does not list', async () => {
    const check = async (inputs: object) =>
      (
        await service.call<{ checks: { id: string; status: string; message: string }[] }>(
          'POST',
          '/packs/ml/gpu-job/preflight',
          { inputs, environment: 'production' },
        )
      ).body.checks.find(({ id }) => id === 'environment')
    expect(await check({ job: 'train', args: ARGS, gpu_usd: 1 })).toMatchObject({ status: 'pass' })
    expect(await check({ job: 'other', gpu_usd: 1 })).toMatchObject({ status: 'fail' })
    expect(await check({ job: 'train', args: ['--data=1'], gpu_usd: 1 })).toMatchObject({ status: 'fail' })
  })
})
