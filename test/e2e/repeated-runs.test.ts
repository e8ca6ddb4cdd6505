import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type ModelServer, startModelServer } from '#cli/dev/model-server.ts'
import { runCli } from '#test/support/cli.ts'
import { type PaidTarget, startPaidTarget } from '#test/support/paid-target.ts'
import { proveLedger } from '#test/support/prove-ledger.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { PRICES } from '#test/support/scripted-models.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACK = `apiVersion: svc/v1
name: shop
version: 1.0.0
title: Work
description: Two effects behind a question to a model.
license: Apache-2.0
capabilities: [model.chat, "http.egress:*"]
`
const TEMPLATE = `apiVersion: svc/v1
id: two
title: Two effects
risk: medium
action_types: [service.restart]
inputs:
  type: object
  required: [url]
  properties: { url: { type: string } }
steps:
  - id: ask
    operator: llm.generate
    with: { model: echo, prompt: "What of rain?", max_tokens: 20 }
  - id: never
    operator: http.request
    when: inputs.url == 'nowhere'
    with: { method: POST, url: "\${{ inputs.url }}/never" }
  - id: first
    operator: http.request
    requires_approval: true
    with: { method: POST, url: "\${{ inputs.url }}/first", json: { said: "\${{ steps.ask.outputs.text }}" } }
  - id: second
    operator: http.request
    requires_approval: true
    with: { method: POST, url: "\${{ inputs.url }}/second", json: { status: "\${{ steps.first.outputs.status }}" } }
    retry: { max_attempts: 1 }
  - id: report
    operator: report.render
    with: { title: Two effects, body: two.md.liquid }
outputs: { text: "\${{ steps.ask.outputs.text }}", status: "\${{ steps.first.outputs.status }}" }
`
const REPORT = '{% for vote in run.decisions %}{{ vote.step }}: {{ vote.decision }}\n{% endfor %}'

let service: TestService
let upstream: ModelServer
let target: PaidTarget
let packs: string
let mended = false

beforeAll(async () => {
  packs = await mkdtemp(join(tmpdir(), 'svc-repeated-'))
  await mkdir(join(packs, 'shop/templates'), { recursive: true })
  await writeFile(join(packs, 'shop/pack.yaml'), PACK)
  await writeFile(join(packs, 'shop/templates/two.yaml'), TEMPLATE)
  await writeFile(join(packs, 'shop/templates/two.md.liquid'), REPORT)
  upstream = await startModelServer()
  target = await startPaidTarget((_run, path) => (path === '/second' && !mended ? 'refused' : 'ok'))
  const model = `provider: openai_compatible, timeout: 5s, limits: { context: 20000, output: 100 }, prices: { input: ${PRICES.input}, output: ${PRICES.output} }`
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: packs, SVC_MODEL_BASE_URL: upstream.url },
    files: { 'models.yaml': `models: [{ id: echo, ${model} }]\nroles: { default: echo }\n` },
  })
})
afterAll(async () => {
  await service?.stop()
  await target?.stop()
  await upstream?.stop()
  await rm(packs, { recursive: true })
})
beforeEach(() => {
  mended = false
})

type Run = RunBody & { total_usd: number; provenance: Record<string, unknown> }
interface Pending {
  gate_id: string
  step: string
  evidence: { step: string }[]
}

/** Approves the gate that a run waits at, and answers what was asked. */
async function approve(id: string): Promise<Pending> {
  await awaiting(service, id)
  const { body } = await service.call<Pending>('GET', `/runs/${id}/pending-approval`)
  const answer = await service.call('POST', `/runs/${id}/resume`, { decision: 'approve', gate_id: body.gate_id })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return body
}

/** A run whose second effect was refused by its target. */
async function failed(): Promise<Run> {
  const { body } = await service.call<Run>('POST', '/packs/shop/two/run', { inputs: { url: target.url } })
  await approve(body.id)
  await service.until<Run>(`/runs/${body.id}`, ({ progress }) => progress.steps[3]?.state === 'awaiting_approval')
  await approve(body.id)
  const run = (await ended(service, body.id)) as Run
  expect(run).toMatchObject({ status: 'failed', error: { step: 'second', code: 'http_status' } })
  return run
}

const cli = (...args: string[]) =>
  runCli(args, { env: { SVC_URL: service.url, SVC_HOME: service.home, HOME: service.home } })
const received = () => ({ ...Object.fromEntries(target.received.by_path) })
const callsOfModels = async (id: string) =>
  (await service.database.db`select from model_calls where run_id = ${id}`).length

test('a retry goes on from the step that failed: nothing before it is done, asked or paid again', async () => {
  const first = await failed()
  expect(first.total_usd).toBeGreaterThan(0)
  const before = received()
  mended = true
  const { code, stdout, stderr } = await cli('retry', first.id, '--json', '--reason', 'the target is back')
  expect([code, stderr]).toEqual([0, ''])
  const { id } = JSON.parse(stdout) as Run
  const asked = await approve(id)
  expect(asked.step).toBe('second')
  expect(asked.evidence.map(({ step }) => step)).toEqual(['ask', 'first'])
  const run = (await ended(service, id)) as Run
  expect(run).toMatchObject({
    status: 'succeeded',
    outputs: { status: 200, text: expect.stringContaining('What of rain?') },
    total_usd: 0,
    provenance: { retry_of: first.id },
  })
  expect(run.progress.steps.map(({ id: step, state }) => [step, state])).toEqual([
    ...[
      ['ask', 'succeeded'],
      ['never', 'skipped'],
      ['first', 'succeeded'],
    ],
    ...[
      ['second', 'succeeded'],
      ['report', 'succeeded'],
    ],
  ])
  expect(received()).toEqual({ ...before, '/second': (before['/second'] ?? 0) + 1 })
  expect([await callsOfModels(first.id), await callsOfModels(id)]).toEqual([1, 0])
  for (const each of [first.id, id]) await proveLedger(service.database.db, each)
  // whoever reads its report learns how every step was answered
  const report = await fetch(`${service.url}/runs/${id}/report`)
  expect(await report.text()).toContain('first: approve\nsecond: approve')
  const again = await service.call('POST', `/runs/${first.id}/retry`, {})
  expect(again).toMatchObject({ status: 409, body: { code: 'conflict', detail: expect.stringContaining(id) } })
})

test('a run that is started again does everything once more, and pays for it', async () => {
  const first = await failed()
  const before = received()
  mended = true
  const { code, stdout } = await cli('start-again', first.id)
  expect(code).toBe(0)
  const id = stdout.split(' ')[0] ?? ''
  expect((await approve(id)).step).toBe('first')
  await service.until<Run>(`/runs/${id}`, ({ progress }) => progress.steps[3]?.state === 'awaiting_approval')
  expect((await approve(id)).step).toBe('second')
  const run = (await ended(service, id)) as Run
  expect(run).toMatchObject({ status: 'succeeded', total_usd: first.total_usd, provenance: { again_of: first.id } })
  const once = (path: string) => (before[path] ?? 0) + 1
  expect(received()).toEqual({ '/first': once('/first'), '/second': once('/second') })
  expect(await callsOfModels(id)).toBe(1)
  await proveLedger(service.database.db, id)
})

test('a retry that fails is retried itself, and outputs that were changed in the database are not taken over', async () => {
  const first = await failed()
  const second = (await service.call<Run>('POST', `/runs/${first.id}/retry`, {})).body.id
  await approve(second)
  expect((await ended(service, second)).status).toBe('failed')
  const { db } = service.database
  await db`update run_steps set outputs = outputs || '{"status": 201}' where run_id = ${second} and step_id = 'first'`
  const forged = await service.call('POST', `/runs/${second}/retry`, {})
  expect(forged).toMatchObject({ status: 409, body: { detail: expect.stringContaining('outputs of step first') } })
  await db`update run_steps set outputs = outputs || '{"status": 200}' where run_id = ${second} and step_id = 'first'`
  mended = true
  const third = await service.call<Run>('POST', `/runs/${second}/retry`, {})
  expect(third.body).toMatchObject({ provenance: { taken_over: { first: { run_id: first.id } } } })
  await approve(third.body.id)
  expect((await ended(service, third.body.id)).status).toBe('succeeded')
})
