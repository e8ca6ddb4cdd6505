import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { DECIDE_GATE, type GateCommand } from '#core/contract.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let demo: DemoService
let starter: Member
let first: Member
let second: Member

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: AUTH_ENV,
    files: {
      'environments/pair.yaml':
        'name: pair\nclass: development\negress: [loopback]\napproval: { min_approvals: 2, prevent_self: true }\n',
    },
  })
  demo = await startDemoService()
  const identities = await createIdentities(service)
  starter = await identities.add('starter', { roles: ['operator'] })
  first = await identities.add('first', { roles: ['approver'] })
  second = await identities.add('second', { roles: ['approver'] })
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})
beforeEach(async () => void (await fetch(`${demo.url}/fault`, { method: 'POST' })))

async function park(body: object = {}): Promise<{ id: string; gate_id: string }> {
  const { body: run } = await service.call<{ id: string }>(
    'POST',
    '/packs/sre/service-recovery/run',
    { inputs: { url: demo.url }, ...body },
    starter.headers,
  )
  await service.until<RunBody>(
    `/runs/${run.id}`,
    (each) => each.status === 'awaiting_approval',
    PATIENCE.timeout,
    starter.headers,
  )
  return { id: run.id, gate_id: await gateOf(run.id) }
}

async function gateOf(id: string): Promise<string> {
  return (await service.call<{ gate_id: string }>('GET', `/runs/${id}/pending-approval`, undefined, starter.headers))
    .body.gate_id
}

/** What somebody with access to the engine, and none to our key, can send. */
async function forge(id: string, gate_id: string, by: string): Promise<unknown> {
  const command: GateCommand = {
    gate_id,
    decision_id: `forged/${randomUUID()}`,
    kind: 'approve',
    by,
    display: by,
    type: 'user',
    roles: ['owner', 'admin'],
    channel: 'api',
    asserted: false,
    auth: 'jwt',
    signature: 'c2lnbmVkIGJ5IG5vYm9keQ',
  }
  return await service.temporal.workflow
    .getHandle(id)
    .executeUpdate(DECIDE_GATE, { args: [command] })
    .catch((error: unknown) => error)
}

function refusedOf(id: string): Record<string, unknown>[] {
  return chainEvents<Record<string, unknown>>(service.home).filter(
    ({ run_id, action }) => run_id === id && action === 'claim.refused',
  )
}

async function untilRefused(id: string, times: number): Promise<void> {
  const deadline = Date.now() + PATIENCE.timeout
  while (refusedOf(id).length < times) {
    if (Date.now() > deadline) throw new Error('the attempt was not recorded')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const approve = (id: string, by: Member) =>
  service.call<{ resolved: boolean; code?: string }>('POST', `/runs/${id}/resume`, { decision: 'approve' }, by.headers)

const statusOf = async (id: string) =>
  (await service.call<RunBody>('GET', `/runs/${id}`, undefined, starter.headers)).body.status

describe('with authentication on, the engine’s own surfaces', () => {
  test('approve nothing by an Update that the API has not signed; the gate stays open and the attempt is on record', async () => {
    const { id, gate_id } = await park()
    await forge(id, gate_id, first.id)
    await untilRefused(id, 1)
    expect(await statusOf(id)).toBe('awaiting_approval')
    expect(await gateOf(id)).toBe(gate_id)
    expect(demo.state().actions).toEqual([])
    expect((await approve(id, first)).status).toBe(200)
    expect((await ended(service, id, PATIENCE.timeout, starter.headers)).status).toBe('succeeded')
  })

  test('cannot complete a quorum, and what was voted before still counts afterwards', async () => {
    const { id, gate_id } = await park({ environment: 'pair' })
    expect((await approve(id, first)).body.resolved).toBe(false)
    await forge(id, gate_id, second.id)
    await untilRefused(id, 1)
    expect(await statusOf(id)).toBe('awaiting_approval')
    expect((await approve(id, first)).body.code).toBe('conflict')
    expect((await approve(id, second)).body.resolved).toBe(true)
    expect((await ended(service, id, PATIENCE.timeout, starter.headers)).status).toBe('succeeded')
  })

  test('cannot be the first of two either', async () => {
    const { id, gate_id } = await park({ environment: 'pair' })
    await forge(id, gate_id, first.id)
    await untilRefused(id, 1)
    expect((await approve(id, second)).body.resolved).toBe(false)
    expect(await statusOf(id)).toBe('awaiting_approval')
    expect((await approve(id, first)).body.resolved).toBe(true)
    expect((await ended(service, id, PATIENCE.timeout, starter.headers)).status).toBe('succeeded')
  })

  test('approve nothing by signal, and may always reject', async () => {
    const { id } = await park()
    const handle = service.temporal.workflow.getHandle(id)
    await handle.signal(DECIDE_GATE, { decision: 'approve' })
    await untilRefused(id, 1)
    expect(await statusOf(id)).toBe('awaiting_approval')
    await handle.signal(DECIDE_GATE, { decision: 'reject', note: 'from the Web UI' })
    expect((await ended(service, id, PATIENCE.timeout, starter.headers)).status).toBe('rejected')
    const { body } = await service.call<{ events: { type: string; data: Record<string, unknown> }[] }>(
      'GET',
      `/runs/${id}/events`,
      undefined,
      starter.headers,
    )
    expect(body.events.find((event) => event.type === 'gate.resolved')?.data).toMatchObject({
      channel: 'temporal',
      asserted: true,
    })
  })

  test('approve by signal where access to the engine is said to be guarded', async () => {
    const guarded = await startTestService({
      postgres_url: inject('postgres_url'),
      temporal_address: inject('temporal_address'),
      env: { ...AUTH_ENV, SVC_TEMPORAL_APPROVALS: '1' },
    })
    try {
      const { owner } = await createIdentities(guarded)
      const { body } = await guarded.call<{ id: string }>(
        'POST',
        '/packs/sre/service-recovery/run',
        { inputs: { url: demo.url } },
        owner.headers,
      )
      await guarded.until<RunBody>(
        `/runs/${body.id}`,
        (run) => run.status === 'awaiting_approval',
        PATIENCE.timeout,
        owner.headers,
      )
      await guarded.temporal.workflow.getHandle(body.id).signal(DECIDE_GATE, { decision: 'approve' })
      expect((await ended(guarded, body.id, PATIENCE.timeout, owner.headers)).status).toBe('succeeded')
    } finally {
      await guarded.stop()
    }
  })
})
