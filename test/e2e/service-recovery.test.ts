import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json } from '#core/json/json.ts'
import { excerptOf } from '#core/run/excerpt.ts'
import { findingOf } from '#core/run/finding.ts'
import { programArgs } from '#platform/program/program-args.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { awaiting, type EventBody, ended, eventsOf, parkRun, postAlert, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { verifyOutside } from '#test/support/verify-outside.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
})
afterAll(() => service.stop())
beforeEach(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
  return () => demo.stop()
})

const health = async () => (await fetch(`${demo.url}/health`)).status
const actions = () => demo.state().actions.length

interface StepBody {
  inputs: { value: Json }
  outputs: { value: Json; digest: string }
  attempts: object[]
}

interface Pending {
  gate_id: string
  plan_hash: string
  operation: { operator: string; targets: { ids: string[] } }
  plan: { summary: string; command?: string }
  authorities: { pack: boolean; operator: boolean; profile: boolean; policy: { effect: string } }
  evidence: { step: string; ref: string; digest: string; excerpt: string; cut: boolean }[]
  expires_at: string
}

describe('an alert becomes a governed run', () => {
  test('folded, parked, approved, done once, healthy, on record', async () => {
    const { status, body } = await postAlert(service, demo, { times: 5 })
    expect(status).toBe(202)
    expect(body.results.map((result) => result.outcome)).toEqual([
      'started',
      'attached',
      'attached',
      'attached',
      'attached',
    ])
    const id = body.results[0]?.run_id ?? ''
    const parked = await awaiting(service, id)
    expect(parked.attached_count).toBe(4)
    expect(actions()).toBe(0)

    const pending = (await service.call<Pending>('GET', `/runs/${id}/pending-approval`)).body
    expect(pending.operation.targets.ids).toEqual([`${demo.url}/restart`])
    expect(pending.plan_hash).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(pending.authorities).toMatchObject({ pack: true, operator: false, profile: false })
    expect(pending.evidence.map(({ step }) => step)).toContain('evidence')
    for (const { ref, digest, excerpt, cut } of pending.evidence) {
      const { outputs } = (await service.call<StepBody>('GET', ref)).body
      expect(outputs.digest).toBe(digest)
      expect(digest).toBe(`sha256:${createHash('sha256').update(canonicalText(outputs.value)).digest('hex')}`)
      // the database orders the members of what it keeps
      const lines = (text: string) => text.split('\n').sort()
      const read = excerptOf(findingOf(outputs.value), 2_000)
      expect([lines(excerpt), cut]).toEqual([lines(read.text), read.cut])
      expect(excerpt).not.toContain('content-type')
    }
    expect(pending.evidence.find(({ step }) => step === 'evidence')?.excerpt).toContain('status: 503')
    const read = (await service.call<StepBody>('GET', `/runs/${id}/steps/evidence`)).body
    expect(read.inputs.value).toMatchObject({ method: 'GET', url: `${demo.url}/health` })
    expect(read.attempts).toMatchObject([{ number: 1, outcome: 'succeeded' }])

    const approved = await service.call('POST', `/runs/${id}/resume`, {
      decision: 'approve',
      plan_hash: pending.plan_hash,
      note: 'looks right',
    })
    expect(approved).toMatchObject({
      status: 200,
      body: { run_id: id, gate_id: pending.gate_id, status: 'approved', resolved: true, decision: 'approve' },
    })
    const run = await ended(service, id)
    expect(run).toMatchObject({ status: 'succeeded', outputs: { recovered: true } })
    expect(await health()).toBe(200)
    expect(actions()).toBe(1)

    const events = await eventsOf(service, id)
    expect(events.map((event) => event.seq)).toEqual(events.map((_, n) => n + 1))
    const types = events.map((event) => event.type)
    for (const type of [
      'run.queued',
      'alert.attached',
      'run.started',
      'policy.decided',
      'gate.opened',
      'gate.decision',
      'gate.resolved',
      'step.completed',
      'artifact.created',
      'run.succeeded',
    ]) {
      expect(types).toContain(type)
    }
    expect((await service.call('GET', `/runs/${id}/report`)).status).toBe(200)
  })

  test(
    'the record is verified by our command and by a stranger’s script, and one changed byte is named',
    needs('python3'),
    async () => {
      const id = await parkRun(service, demo)
      await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })
      await ended(service, id)
      await service.until<EventBody[]>('/healthz', () => true)
      const log = join(service.home, 'audit.jsonl')
      await recorded(log, id, 'run.succeeded')
      const say = programArgs('cli/main.ts', 'lineage', id, '--file', log)
      const story = await command(process.execPath, say)
      expect(story).toMatchObject({ code: 0, stdout: expect.stringContaining('what was approved is what ran') })
      const lineage = await command(process.execPath, [...say, '--records'])
      expect(lineage).toMatchObject({ code: 0 })
      for (const action of ['run.admitted', 'policy.decided', 'gate.opened', 'gate.decided', 'run.succeeded'])
        expect(lineage.stdout).toContain(action)
      expect((await verifyOutside(log)).status).toBe(0)

      const text = await readFile(log, 'utf8')
      const copy = join(service.home, 'tampered.jsonl')
      const lines = text.trimEnd().split('\n')
      const at = lines.findIndex((line) => line.includes('gate.decided') && line.includes(id))
      lines[at] = (lines[at] ?? '').replace('"decision":"approve"', '"decision":"reject_"')
      await writeFile(copy, `${lines.join('\n')}\n`)
      const broken = await command(process.execPath, programArgs('cli/main.ts', 'lineage', id, '--file', copy))
      expect(broken.code).toBe(1)
      expect(broken.stdout + broken.stderr).toContain(`record ${at + 1}`)
      expect((await verifyOutside(copy)).status).toBe(1)
    },
  )
})

describe('a gate refuses what it must', () => {
  test('a missing decision is never an approval', async () => {
    const id = await parkRun(service, demo)
    for (const body of [{}, { decision: null }, { decision: '' }, { decision: 'yes' }]) {
      expect((await service.call('POST', `/runs/${id}/resume`, body)).status).toBe(422)
    }
    expect((await service.call('POST', `/runs/${id}/resume`, undefined)).status).toBe(422)
    expect((await service.call<RunBody>('GET', `/runs/${id}`)).body.status).toBe('awaiting_approval')
    await service.call('POST', `/runs/${id}/cancel`, {})
  })

  test('an approval of another plan or another gate is refused with 409, and nothing runs', async () => {
    const id = await parkRun(service, demo)
    const stale = await service.call('POST', `/runs/${id}/resume`, {
      decision: 'approve',
      plan_hash: `sha256:${'0'.repeat(64)}`,
    })
    expect(stale).toMatchObject({ status: 409, body: { code: 'plan_changed' } })
    const other = await service.call('POST', `/runs/${id}/resume`, {
      decision: 'approve',
      gate_id: 'gate_01k00000000000000000000000',
    })
    expect(other).toMatchObject({ status: 409, body: { code: 'gate_resolved' } })
    expect(actions()).toBe(0)
    await service.call('POST', `/runs/${id}/cancel`, {})
  })

  test('a rejected run does nothing and cannot be decided again', async () => {
    const id = await parkRun(service, demo)
    expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'reject', note: 'not now' })).status).toBe(200)
    expect((await ended(service, id)).status).toBe('rejected')
    expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })).status).toBe(409)
    expect(actions()).toBe(0)
  })

  test('a run that is not parked answers 409, an unknown one 404', async () => {
    const unknown = await service.call('POST', '/runs/run_01k00000000000000000000000/resume', { decision: 'approve' })
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const id = await parkRun(service, demo)
    await service.call('POST', `/runs/${id}/cancel`, {})
    await ended(service, id)
    expect(await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })).toMatchObject({
      status: 409,
      body: { code: 'run_not_awaiting' },
    })
  })

  test('a dismissed gate expires its run with the reason', async () => {
    const id = await parkRun(service, demo)
    expect((await service.call('POST', `/runs/${id}/expire`, { reason: 'stale' })).status).toBe(200)
    expect(await ended(service, id)).toMatchObject({ status: 'expired', status_reason: 'dismissed' })
  })
})

describe('the Temporal Web UI', () => {
  test('a signal from there decides like anyone while authentication is off', async () => {
    const id = await parkRun(service, demo)
    await service.temporal.workflow.getHandle(id).signal('gate.decide', { decision: 'approve', note: 'from the UI' })
    expect((await ended(service, id)).status).toBe('succeeded')
    const decision = (await eventsOf(service, id)).find((event) => event.type === 'gate.decision')
    expect(decision?.data).toMatchObject({ channel: 'temporal', asserted: true, decision: 'approve' })
  })

  test('a cancellation from there ends a parked run and closes its gate', async () => {
    const id = await parkRun(service, demo)
    await service.temporal.workflow.getHandle(id).cancel()
    expect((await ended(service, id)).status).toBe('cancelled')
    expect(actions()).toBe(0)
  })
})

describe('resolved alerts', () => {
  test('are recorded on the run they belong to', async () => {
    const id = await parkRun(service, demo)
    const { body } = await postAlert(service, demo, { status: 'resolved' })
    expect(body.results[0]).toMatchObject({ outcome: 'resolved', run_id: id })
    expect((await eventsOf(service, id)).map((event) => event.type)).toContain('alert.resolved')
    await service.call('POST', `/runs/${id}/cancel`, {})
  })
})

async function recorded(log: string, id: string, action: string): Promise<void> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const text = await readFile(log, 'utf8')
    if (text.split('\n').some((line) => line.includes(id) && line.includes(`"${action}"`))) return
    if (Date.now() > deadline) throw new Error(`${action} of ${id} is not in the log`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function command(file: string, args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd: ROOT, env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
    })
  })
}
