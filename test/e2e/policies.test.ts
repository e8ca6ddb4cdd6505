import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { DryRunReport } from '#core/run/dry-run-schema.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { awaiting, ended, eventsOf, type RunBody } from '#test/support/recovery.ts'
import { type Reply, startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: fileURLToPath(new URL('../packs/law', import.meta.url)) },
  })
  await mkdir(join(service.home, 'policies'), { recursive: true })
  await mkdir(join(service.home, 'environments'), { recursive: true })
  await writeFile(
    join(service.home, 'environments', 'shop.yaml'),
    'name: shop\nclass: production\negress: [loopback]\n',
  )
})
afterAll(() => service.stop())
beforeEach(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterEach(async () => {
  await rm(join(service.home, 'policies', 'overlay.yaml'), { force: true })
  await demo.stop()
})

const overlay = (text: string) => writeFile(join(service.home, 'policies', 'overlay.yaml'), text)
const start = (body: object = {}) =>
  service.call<RunBody & { code?: string }>('POST', '/packs/sre/service-recovery/run', {
    inputs: { url: demo.url },
    ...body,
  })

interface ChainRecord {
  action: string
  run_id?: string
  data: Record<string, unknown>
}

/** What the audit chain says of a run. */
function recordsOf(id: string): ChainRecord[] {
  return chainEvents<ChainRecord>(service.home).filter(({ run_id }) => run_id === id)
}

/** A dry run leaves no effect behind, so it may be repeated until an edit of the overlay has arrived. */
async function untilStart(
  done: (reply: Reply<RunBody & { code?: string }>) => boolean,
): Promise<Reply<RunBody & { code?: string }>> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const reply = await start({ dry_run: true })
    if (done(reply)) return reply
    if (reply.body.id) await service.call('POST', `/runs/${reply.body.id}/cancel`, {})
    if (Date.now() > deadline) throw new Error(`the overlay did not arrive: ${JSON.stringify(reply.body)}`)
  }
}

/** The removal of what an earlier test has denied has arrived. */
const untilNothingIsDenied = () => untilStart((reply) => reply.status === 202)

describe('overlay policies, edited while the service runs', () => {
  test('deny refuses a template at admission with 403, and no run exists', async () => {
    await overlay(
      'name: stop\napplies_to: { action_types: [service.restart] }\nrules: [{ effect: deny, reason: change freeze }]\n',
    )
    const denied = await untilStart((reply) => reply.status === 403)
    expect(denied.body.code).toBe('policy_denied')
    expect(JSON.stringify(denied.body)).toContain('change freeze')
  })

  test('a deny that arrives between approval and execution stops the step', async () => {
    await untilNothingIsDenied()
    const { body } = await start()
    await awaiting(service, body.id)
    await overlay(
      'name: late\napplies_to: { action_types: [service.restart] }\nrules: [{ effect: deny, reason: too late }]\n',
    )
    await untilStart((reply) => reply.status === 403)
    expect((await service.call('POST', `/runs/${body.id}/resume`, { decision: 'approve' })).status).toBe(200)
    expect(await ended(service, body.id)).toMatchObject({
      status: 'failed',
      error: { code: 'PolicyDenied', step: 'act' },
    })
    expect(demo.state().actions).toEqual([])
  })

  test('a role that becomes required after the approval parks the run on a new gate', async () => {
    await untilNothingIsDenied()
    const { body } = await start()
    await awaiting(service, body.id)
    const first = (await service.call<{ gate_id: string }>('GET', `/runs/${body.id}/pending-approval`)).body.gate_id
    await overlay(
      'name: role\napplies_to: { action_types: [service.restart] }\nrules: [{ effect: require_hitl, reason: needs sre, approval_role: sre }]\n',
    )
    await untilGateRequires('sre')
    await service.call('POST', `/runs/${body.id}/resume`, { decision: 'approve', gate_id: first })
    const again = await service.until<RunBody & { gates: { gate_id: string; status: string }[] }>(
      `/runs/${body.id}`,
      (run) => run.status === 'awaiting_approval' && run.gates.length === 2,
    )
    expect(again.gates.map((gate) => gate.status)).toEqual(['approved', 'open'])
    const pending = (
      await service.call<{ because: string[]; required: { approval_roles: string[][] } }>(
        'GET',
        `/runs/${body.id}/pending-approval`,
      )
    ).body
    expect(pending.because).toContain('policy_changed')
    expect(pending.required.approval_roles).toEqual([['sre']])
    expect(demo.state().actions).toEqual([])
    await service.call('POST', `/runs/${body.id}/cancel`, {})
  })

  test('a broken policy turns the gate on and is named', async () => {
    await overlay('name: broken\nrules: [{ effect: DENY, reason: capitals }]\n')
    const { body } = await untilBroken()
    const pending = (
      await service.call<{ broken_policies: string[]; step: string }>('GET', `/runs/${body.id}/pending-approval`)
    ).body
    expect(pending.broken_policies).toContain('broken')
    // also the reading step waits: a broken policy may have meant anything
    expect(pending.step).toBe('evidence')
    await service.call('POST', `/runs/${body.id}/cancel`, {})
  })

  test('require_dry_run simulates first, and the approver sees the result', async () => {
    await overlay(
      'name: dry\napplies_to: { action_types: [service.restart] }\nrules: [{ effect: require_dry_run, reason: try first }]\n',
    )
    const id = await untilSimulated()
    const pending = (
      await service.call<{ simulation: { ok: boolean; summary: string } }>('GET', `/runs/${id}/pending-approval`)
    ).body
    expect(pending.simulation).toMatchObject({ ok: true })
    expect(demo.state().actions).toEqual([])
    await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' })
    expect((await ended(service, id)).status).toBe('succeeded')
    expect(demo.state().actions).toHaveLength(1)
  })

  test('a dry run opens no gate, waits for nothing, acts on nothing, and says what each step would do', async () => {
    const { body } = await start({ dry_run: true })
    const run = await ended(service, body.id)
    expect(run).toMatchObject({ status: 'succeeded', dry_run: true, gates: [] })
    const report = DryRunReport.parse(run.outputs?.['dry_run'])
    const found = Object.fromEntries(report.steps.map((step) => [step.id, step]))
    expect(found['evidence']).toMatchObject({ would: 'read', executed: true })
    expect(found['act']).toMatchObject({
      ...{ would: 'act', executed: false, action_type: 'http.write' },
      command: expect.stringContaining(`${demo.url}/restart`),
      simulation: { ok: true, summary: `would send POST ${demo.url}/restart` },
      gate: { authorities: { operator: false, profile: false, pack: true }, approvals: 1, approval_roles: [] },
      plan_hash: expect.stringMatching(/^sha256:/),
    })
    expect(found['act']?.gate?.because).toContain('the pack requires approval for this step')
    expect(found['verify']).toMatchObject({ would: 'wait', executed: false, without: ['act'] })
    expect(found['report']).toMatchObject({ would: 'unknown', executed: false, depends_on: ['act', 'verify'] })
    expect(report).toMatchObject({ executed: ['evidence'], gates: ['act'], unknown: ['report'], fits: true })
    // it asked for the health once, and the service is as broken as before
    expect(demo.state()).toMatchObject({ calls: 0, actions: [] })
    expect((await fetch(`${demo.url}/health`)).status).toBe(503)

    const events = await eventsOf(service, body.id)
    expect(events.map(({ type }) => type)).not.toContain('gate.opened')
    const reported = events.filter(({ type }) => ['run.queued', 'step.completed', 'run.succeeded'].includes(type))
    expect(reported.map(({ data }) => data['dry_run'])).toEqual(reported.map(() => true))
    await expect.poll(() => recordsOf(body.id).at(-1)?.action).toBe('run.succeeded')
    const chain = recordsOf(body.id)
    const decided = chain.filter(({ action }) => action === 'policy.decided')
    expect(decided.map(({ data }) => data['led_to'])).toEqual(['effect', 'report', 'report'])
    expect(chain.filter(({ data }) => data['dry_run'] !== true && data['of_dry_run'] !== true)).toEqual([])
  })

  test('production asks a person for every effect, and reading stays unattended', async () => {
    const { body } = await start({ environment: 'production' })
    const run = await service.until<RunBody>(
      `/runs/${body.id}`,
      (each) => each.status === 'awaiting_approval' || each.status === 'failed',
    )
    // the demo service is on loopback, which production does not reach: the read is refused by egress, not by a gate
    expect(run).toMatchObject({ status: 'failed', error: { code: 'egress_denied', step: 'evidence' } })
    expect((await eventsOf(service, body.id)).map((event) => event.type)).not.toContain('gate.opened')
  })
})

describe('what a template says of itself', () => {
  let target: Server
  let url: string
  const sent: string[] = []

  beforeAll(async () => {
    target = createServer((request, response) => {
      sent.push(`${request.method} ${request.url}`)
      response.end('{}')
    })
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
  })
  afterAll(() => target.close())
  beforeEach(() => {
    sent.length = 0
  })

  const run = (template: string, body: object = {}) =>
    service.call<RunBody & { code?: string }>('POST', `/packs/optout/${template}/run`, { inputs: { url }, ...body })
  /** Repeats until the environment that was just written is known. */
  async function runIn(environment: string, template: string): Promise<string> {
    const deadline = Date.now() + PATIENCE.timeout
    for (;;) {
      const { status, body } = await run(template, { environment })
      if (status === 202) return body.id
      if (Date.now() > deadline) throw new Error(`not started: ${JSON.stringify(body)}`)
    }
  }
  const decided = async (id: string) => (await eventsOf(service, id)).find(({ type }) => type === 'policy.decided')

  test.each([
    ['the template calls its effect a read', 'harmless'],
    ['the step calls its effect a read', 'word'],
    ['a GET is declared as the restart that it is', 'hidden'],
    ['a GET asks for another method by a header', 'overridden'],
  ])('never opens production: %s', async (_, template) => {
    const id = await runIn('shop', template)
    const run = await service.until<RunBody>(`/runs/${id}`, ({ status }) => status !== 'queued' && status !== 'running')
    expect(run.status).toBe('awaiting_approval')
    expect(sent).toEqual([])
    await service.call('POST', `/runs/${id}/cancel`, {})
  })

  test('holds in a dry run: nothing that is declared an effect is sent', async () => {
    const { body } = await run('hidden', { dry_run: true })
    const { outputs: _, ...done } = await ended(service, body.id)
    expect(done.status).toBe('succeeded')
    expect(sent).toEqual([])
  })

  test('is refused at admission where a step is what a policy denies, though the template does not say so', async () => {
    await overlay(
      'name: no-restarts\napplies_to: { action_types: [service.restart] }\nrules: [{ effect: deny, reason: not now }]\n',
    )
    await untilStart((reply) => reply.status === 403)
    const denied = await run('hidden')
    expect(denied).toMatchObject({ status: 403, body: { code: 'policy_denied' } })
    expect(sent).toEqual([])
  })

  test('stands on record with what was overridden, by which file, and whether it loosens', async () => {
    await overlay('name: reads-run-unattended\nrules: [{ effect: allow_auto, reason: everything runs }]\n')
    const deadline = Date.now() + PATIENCE.timeout
    for (;;) {
      const id = await runIn('shop', 'hidden')
      await service.until<RunBody>(`/runs/${id}`, ({ status }) => status !== 'queued' && status !== 'running')
      const event = await decided(id)
      const { overrides } = (event?.data ?? {}) as { overrides?: object[] }
      await service.call('POST', `/runs/${id}/cancel`, {})
      if (overrides !== undefined) {
        expect(overrides).toEqual([
          {
            name: 'reads-run-unattended',
            layer: 'overlay',
            source: 'overlay.yaml',
            replaces: [{ layer: 'pack', source: 'policies/reads-run-unattended.yaml' }],
            loosens: true,
          },
        ])
        return
      }
      if (Date.now() > deadline) throw new Error('the overlay did not arrive')
    }
  })
})

async function parkedWhere(done: (pending: Record<string, unknown>) => boolean): Promise<string> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const { body } = await start()
    await awaiting(service, body.id)
    const pending = (await service.call('GET', `/runs/${body.id}/pending-approval`)).body
    if (done(pending)) return body.id
    await service.call('POST', `/runs/${body.id}/cancel`, {})
    if (Date.now() > deadline) throw new Error(`the overlay did not arrive: ${JSON.stringify(pending)}`)
  }
}

const untilSimulated = () => parkedWhere((pending) => pending['simulation'] !== undefined)
const untilBroken = async () => ({
  body: { id: await parkedWhere((pending) => JSON.stringify(pending['broken_policies']) !== '[]') },
})
async function untilGateRequires(role: string): Promise<void> {
  const id = await parkedWhere((pending) => JSON.stringify(pending['required']).includes(role))
  await service.call('POST', `/runs/${id}/cancel`, {})
}
