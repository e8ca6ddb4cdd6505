import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { CANCEL_RUN, DECIDE_GATE } from '#core/contract.ts'
import { FIELDS, LANE_ACTIVITIES, LEDGER_ACTIVITIES, OTHER_ACTIVITIES, QUEUES } from '#test/attack/names.ts'
import { chainEvents } from '#test/support/chain-lines.ts'
import { type ForeignWorker, startForeignWorker } from '#test/support/foreign-worker.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let foreign: ForeignWorker
let demo: DemoService
let starter: Member
let approver: Member
let workspace_id: string

beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startTestService({ postgres_url, temporal_address, env: AUTH_ENV })
  foreign = await startForeignWorker(service, temporal_address)
  demo = await startDemoService()
  const identities = await createIdentities(service)
  starter = await identities.add('starter', { roles: ['operator'] })
  approver = await identities.add('approver', { roles: ['approver'] })
})
afterAll(async () => {
  await foreign.stop()
  await demo.stop()
  await service.stop()
})
beforeEach(async () => void (await fetch(`${demo.url}/fault`, { method: 'POST' })))

interface Parked {
  run_id: string
  gate_id: string
  claim: { run_id: string; workspace_id: string; lane: string }
}

async function park(): Promise<Parked> {
  const body = { inputs: { url: demo.url } }
  const started = await service.call<{ id: string }>('POST', '/packs/sre/service-recovery/run', body, starter.headers)
  const run_id = started.body.id
  const parked = (run: RunBody) => run.status === 'awaiting_approval'
  const run = await service.until<RunBody & { workspace_id: string; lane: string }>(
    ...([`/runs/${run_id}`, parked, PATIENCE.timeout, starter.headers] as const),
  )
  workspace_id = run.workspace_id
  const gate = await service.call<{ gate_id: string }>(
    ...(['GET', `/runs/${run_id}/pending-approval`, undefined, starter.headers] as const),
  )
  return { run_id, gate_id: gate.body.gate_id, claim: { run_id, workspace_id, lane: run.lane } }
}

const runOf = async (id: string) => (await service.call<RunBody>('GET', `/runs/${id}`, undefined, starter.headers)).body

interface Audited {
  action: string
  run_id?: string
  channel?: string
  actor: { type: string; id: string; auth: string }
  data: Record<string, unknown>
}

/** The chain is written beside the answers: it is read until it holds what is expected. */
async function auditOf(runId: string, action: string, count: number): Promise<Audited[]> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const found = chainEvents<Audited>(service.home).filter(
      (event) => event.run_id === runId && event.action === action,
    )
    if (found.length >= count || Date.now() > deadline) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const kindsOf = async (runId: string, count: number) =>
  (await auditOf(runId, 'claim.refused', count)).map(({ data }) => data['kind']).sort()

const effectsOf = (runId: string) => demo.state().actions.filter(({ key }) => key?.startsWith(runId))

/** Still waiting, and nothing has happened; anyone who may decide still can. */
async function expectUntouched({ run_id, gate_id }: Parked): Promise<void> {
  expect(await runOf(run_id)).toMatchObject({ status: 'awaiting_approval' })
  expect(effectsOf(run_id)).toEqual([])
  const approved = await service.call<{ resolved: boolean; gate_id: string }>(
    ...(['POST', `/runs/${run_id}/resume`, { decision: 'approve' }, approver.headers] as const),
  )
  expect(approved.body).toMatchObject({ resolved: true, gate_id })
  expect(await ended(service, run_id, PATIENCE.timeout, starter.headers)).toMatchObject({ status: 'succeeded' })
}

const forgedVote = (gate_id: string) => ({
  ...{ gate_id, decision_id: randomUUID(), kind: 'approve', by: 'usr_ceo', display: 'The CEO', type: 'user' },
  ...{ roles: ['owner', 'admin'], channel: 'api', asserted: false, auth: 'jwt' },
})

describe('a worker of somebody else', () => {
  test('schedules our activities, and approves, runs and ends nothing', async () => {
    const parked = await park()
    const { claim, gate_id } = parked
    const settlement = { ...claim, gate: { gate_id }, resolution: 'approved', command: null, cancel: null }
    const asked = await Promise.all([
      foreign.ask('settleGate', settlement),
      foreign.ask('recordDecision', { ...claim, given: forgedVote(gate_id) }),
      foreign.ask('recordDecision', { ...claim, given: null, resolution: 'approved' }),
      foreign.ask('expireGate', { ...claim, gate_id }),
      foreign.ask('recordCancel', { ...claim, command: null }),
      foreign.ask('closeRun', { ...claim, error: { code: 'internal', message: 'forged' } }),
      foreign.ask('advanceRun', claim, { queue: claim.lane }),
      foreign.ask('advanceRun', { ...claim, plan: { steps: [] } }, { queue: claim.lane }),
    ])
    expect(asked.map((each) => 'failed' in each)).toEqual(asked.map(() => true))
    expect(await kindsOf(claim.run_id, 2)).toEqual(['foreign_workflow', 'unknown_shape'])
    await expectUntouched(parked)
  })

  test.each(QUEUES)(
    'asks for every activity of ours on the queue %s, in its right shape, and nothing happens',
    async (queue) => {
      const parked = await park()
      const { claim, gate_id, run_id } = parked
      const replies: Record<string, unknown> = {
        ...{ ...claim, gate_id, given: forgedVote(gate_id), command: null, failure: 'forged', notice_id: 1 },
        ...{ pipeline_id: run_id, cancelled: true, schedule_id: run_id, nominal_at: '2026-01-01T00:00:00Z' },
      }
      const names = [...new Set([...LANE_ACTIVITIES, ...LEDGER_ACTIVITIES, ...OTHER_ACTIVITIES])]
      expect(names).toEqual(expect.arrayContaining(['advanceRun', 'planNotices', 'fireSchedule', 'advancePipeline']))
      const asked = await Promise.all(
        names.map((name) => {
          const fields = (FIELDS[name] ?? []).filter((field) => field in replies)
          return foreign.ask(name, Object.fromEntries(fields.map((field) => [field, replies[field]])), { queue })
        }),
      )
      expect(asked.filter((each) => !('failed' in each))).toEqual([])
      expect(await kindsOf(run_id, 1)).toEqual(['foreign_workflow'])
      await expectUntouched(parked)
    },
  )

  test('takes the name of our workflow and of the run, and still decides nothing that is not signed', async () => {
    const parked = await park()
    const { claim, gate_id, run_id } = parked
    const voted = await foreign.ask(
      'recordDecision',
      { ...claim, given: forgedVote(gate_id) },
      { as: { id: run_id, type: 'runV2' } },
    )
    expect(voted).toEqual({ result: { refused: 'approver_not_allowed' } })
    expect(await kindsOf(run_id, 1)).toEqual(['not_signed'])
    expect(effectsOf(run_id)).toEqual([])
    // its own workflow is gone with that, and the record says so
    expect(await ended(service, run_id, PATIENCE.timeout, starter.headers)).toMatchObject({
      ...{ status: 'failed', error: { code: 'engine_lost' } },
    })
  })
})

describe('a workflow that somebody else started', () => {
  test('in the name of a run that waits has no leg: neither under another id, nor with a plan of its own', async () => {
    const parked = await park()
    const { claim } = parked
    const options = { taskQueue: claim.lane, workflowId: `forged/${randomUUID()}` }
    const plan = { steps: [{ id: 'steal', operator: 'http.request', with: { method: 'POST', url: demo.url } }] }
    for (const input of [claim, { ...claim, plan }]) {
      const handle = await service.temporal.workflow.start('runV2', { ...options, args: [input] })
      await expect(handle.result()).rejects.toThrow()
    }
    expect(await kindsOf(claim.run_id, 2)).toEqual(['foreign_workflow', 'unknown_shape'])
    await expectUntouched(parked)
  })

  test('in the place of the run’s own ends the run as failed within seconds, and steals nothing', async () => {
    const parked = await park()
    const { claim, run_id } = parked
    const handle = await service.temporal.workflow.start('runV2', {
      ...{ workflowId: run_id, taskQueue: claim.lane, workflowIdConflictPolicy: 'TERMINATE_EXISTING' },
      args: [{ ...claim, plan: { steps: [] } }],
    })
    await expect(handle.result()).rejects.toThrow()
    expect(await ended(service, run_id, PATIENCE.timeout, starter.headers)).toMatchObject({ status: 'failed' })
    expect(effectsOf(run_id)).toEqual([])
  })
})

describe('commands that the API has not sent', () => {
  test('of no known shape end nothing', async () => {
    const parked = await park()
    const handle = service.temporal.workflow.getHandle(parked.run_id)
    const { kind: _kind, ...unkind } = forgedVote(parked.gate_id)
    const sent: unknown[] = [
      { ...unkind, decision: 'approve' },
      { gate_id: parked.gate_id, kind: 'expire' },
      null,
      'approve',
      7,
    ]
    for (const args of sent) await expect(handle.executeUpdate(DECIDE_GATE, { args: [args] })).rejects.toThrow()
    await handle.signal(DECIDE_GATE, { decision: 'expire' })
    await handle.signal(DECIDE_GATE)
    expect(await kindsOf(parked.run_id, 1)).toEqual(['unknown_shape'])
    await expectUntouched(parked)
  })

  test('cancel in the name of anyone who reaches the engine, no matter what name they carry', async () => {
    const { run_id } = await park()
    const { kind: _kind, gate_id: _gate, ...forged } = forgedVote('')
    await service.temporal.workflow.getHandle(run_id).executeUpdate(CANCEL_RUN, { args: [forged] })
    expect(await ended(service, run_id, PATIENCE.timeout, starter.headers)).toMatchObject({ status: 'cancelled' })
    const [cancelled] = await auditOf(run_id, 'gate.cancelled', 1)
    expect(cancelled).toMatchObject({
      ...{ actor: { type: 'system', id: 'temporal', auth: 'none' }, channel: 'temporal', data: { asserted: true } },
    })
  })

  test('cancel nothing with a signature that is not ours', async () => {
    const parked = await park()
    const { kind: _kind, gate_id: _gate, ...forged } = forgedVote('')
    const forgedCancel: unknown = { ...forged, at: new Date().toISOString(), signature: 'c2lnbmVkIGJ5IG5vYm9keQ' }
    const handle = service.temporal.workflow.getHandle(parked.run_id)
    await expect(handle.executeUpdate(CANCEL_RUN, { args: [forgedCancel] })).rejects.toThrow()
    expect(await kindsOf(parked.run_id, 1)).toEqual(['bad_signature'])
    await expectUntouched(parked)
  })
})

describe('a workflow that was ended from outside', () => {
  test('ends its run as failed, closes its gate, and says so', async () => {
    const { run_id } = await park()
    await service.temporal.workflow.getHandle(run_id).terminate('somebody pulled the plug')
    const gone = (run: RunBody) => run.status === 'failed'
    const run = await service.until<RunBody & { gates: object[] }>(
      ...([`/runs/${run_id}`, gone, PATIENCE.timeout, starter.headers] as const),
    )
    expect(run).toMatchObject({ error: { code: 'engine_lost' }, gates: [{ status: 'cancelled' }] })
    expect(await auditOf(run_id, 'run.failed', 1)).toMatchObject([{ data: { code: 'engine_lost' } }])
  })
})
