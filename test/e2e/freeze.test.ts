import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

interface Pending {
  gate_id: string
  plan_hash: string
  because: string[]
  channels: string[]
  opened_at: string
  sla?: { remind_at?: string; escalate_at?: string; escalate_to?: string[] }
  required: { approval_roles: string[][]; freezes?: string[]; require_plan_hash?: boolean }
}
type Started = RunBody & { code?: string; freeze?: string; until?: string }

const UNTIL = '2099-01-01T00:00:00.000Z'
const SETTINGS = 'approval: { channels: [ops], remind_after: 1h, escalate_after: 2h, escalate_to: [lead] }'

let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
  })
  for (const folder of ['environments', 'profiles']) await mkdir(join(service.home, folder), { recursive: true })
  await writeFile(join(service.home, 'profiles', 'exact.yaml'), 'name: exact\nrequire_plan_hash: true\n')
})
afterAll(() => service?.stop())
beforeEach(async () => {
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterEach(async () => {
  await rm(join(service.home, 'environments', 'development.yaml'), { force: true })
  await demo.stop()
})

const development = (text: string) =>
  writeFile(join(service.home, 'environments', 'development.yaml'), `name: development\n${SETTINGS}\n${text}\n`)
const freeze = (approvers: string) =>
  development(
    `freeze: [{ name: holidays, interval: { from: "2020-01-01T00:00:00Z", to: "${UNTIL}" }, freeze_approvers: [${approvers}] }]`,
  )
const start = (body: object = {}) =>
  service.call<Started>('POST', '/packs/sre/service-recovery/run', { inputs: { url: demo.url }, ...body })
const pendingOf = async (id: string) => (await service.call<Pending>('GET', `/runs/${id}/pending-approval`)).body
const answer = (id: string, body: object = {}) =>
  service.call<{ code?: string }>('POST', `/runs/${id}/resume`, { decision: 'approve', ...body })

async function parked(body: object = {}): Promise<string> {
  const { id } = (
    await eventually(
      () => start(body),
      (reply) => reply.status === 202,
    )
  ).body
  await awaiting(service, id)
  return id
}

/** Asks again and again, more slowly than the limit of requests, until an edited file has arrived where it counts. */
async function eventually<Value>(attempt: () => Promise<Value>, done: (value: Value) => boolean): Promise<Value> {
  let last = await attempt()
  const arrived = async () => {
    if (!done(last)) last = await attempt()
    return done(last)
  }
  await vi.waitUntil(arrived, PATIENCE)
  return last
}

/** A run is refused as soon as the API knows of a freeze that nobody may lift; what started before that is cancelled. */
async function startOrCancel() {
  const reply = await start()
  if (reply.status !== 403) await service.call('POST', `/runs/${reply.body.id}/cancel`, {})
  return reply
}

async function probe(): Promise<Pending> {
  const id = await parked()
  const pending = await pendingOf(id)
  await service.call('POST', `/runs/${id}/cancel`, {})
  return pending
}

describe('a freeze that begins while the service runs', () => {
  test('with approvers: what was approved before waits for one of them', async () => {
    const id = await parked()
    const before = await pendingOf(id)
    await freeze('release-lead')
    await eventually(probe, (pending) => pending.required.freezes !== undefined)
    expect((await answer(id, { gate_id: before.gate_id })).status).toBe(200)
    await service.until<RunBody & { gates: object[] }>(
      `/runs/${id}`,
      (run) => run.status === 'awaiting_approval' && run.gates.length === 2,
    )
    expect(await pendingOf(id)).toMatchObject({
      because: expect.arrayContaining(['frozen', `the freeze holidays is on until ${UNTIL}`]),
      required: { approval_roles: [['release-lead']], freezes: ['holidays'] },
    })
    expect(demo.state().actions).toEqual([])
    expect((await answer(id)).status).toBe(200)
    expect((await ended(service, id)).status).toBe('succeeded')
    expect(demo.state().actions).toHaveLength(1)
  })

  test('without approvers: nothing starts and nobody may approve, until it is over', async () => {
    const id = await parked()
    await freeze('')
    const refused = await eventually(startOrCancel, (reply) => reply.status === 403)
    expect(refused.body).toMatchObject({ code: 'frozen', freeze: 'holidays', until: UNTIL })
    expect(await answer(id)).toMatchObject({ status: 403, body: { code: 'frozen' } })
    expect((await service.call<RunBody>('GET', `/runs/${id}`)).body.status).toBe('awaiting_approval')
    expect(demo.state().actions).toEqual([])
    await development('')
    await eventually(startOrCancel, (reply) => reply.status === 202)
    await eventually(probe, (pending) => pending.required.freezes === undefined)
    expect((await answer(id)).status).toBe(200)
    expect((await ended(service, id)).status).toBe('succeeded')
  })
})

describe('a gate', () => {
  test('shows the channels of its environment and when it is announced again', async () => {
    await development('')
    const pending = await eventually(probe, (each) => each.sla !== undefined)
    expect(pending.channels).toEqual(['ops'])
    const opened_ms = Date.parse(pending.opened_at)
    const after_ms = (time: string | undefined) => Date.parse(time ?? '') - opened_ms
    expect(Math.abs(after_ms(pending.sla?.remind_at) - 3_600_000)).toBeLessThan(60_000)
    expect(Math.abs(after_ms(pending.sla?.escalate_at) - 7_200_000)).toBeLessThan(60_000)
    expect(pending.sla?.escalate_to).toEqual(['lead'])
  })

  test('of a profile that wants the plan hash takes no decision without it', async () => {
    const id = await parked({ profile: 'exact' })
    const { plan_hash, required } = await pendingOf(id)
    expect(required.require_plan_hash).toBe(true)
    expect((await answer(id)).body.code).toBe('plan_hash_required')
    expect((await answer(id, { plan_hash })).status).toBe(200)
    expect((await ended(service, id)).status).toBe('succeeded')
  })
})
