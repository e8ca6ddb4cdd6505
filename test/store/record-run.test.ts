import { beforeAll, describe, expect, test } from 'vitest'
import type { EventDraft } from '#core/run/event.ts'
import type { GatePatch } from '#core/run/patch.ts'
import { createGateDecisions, type GateDecisions } from '#store/gates/gate-decisions.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'

let decisions: GateDecisions

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeAll(async () => {
  decisions = createGateDecisions(database.db)
})

async function startRun() {
  const draft = runDraft()
  await runs.admit([draft])
  const taken = await runs.take(draft.id)
  if ('refused' in taken) throw new Error(taken.refused)
  return { run_id: draft.id, fence: taken.recorded.fence }
}

const seqs = async (run_id: string) =>
  (
    await database.db<
      { seq: number; event_key: string }[]
    >`select seq, event_key from run_events where run_id = ${run_id} order by seq`
  ).map((row) => row.seq)

async function park(run_id: string, fence: number) {
  const gate_id = ids.next('gate')
  await runs.record({
    run_id,
    fence,
    gate: {
      id: gate_id,
      step_id: 'act',
      ordinal: 0,
      attempt: 0,
      kind: 'approval',
      plan_hash: `sha256:${'b'.repeat(64)}`,
      required: { approvals: 1, approval_roles: [], prevent_self: false },
      view: {},
      expires_at: '2030-01-01T00:00:00.000Z',
    },
  })
  return gate_id
}

const resolve = (
  run_id: string,
  gate_id: string,
  by: string,
  resolution: 'approved' | 'rejected' | 'expired' | 'cancelled',
): GatePatch => ({
  run_id,
  gate_id,
  resolution,
  resolved: { by, channel: 'api', cause: null },
  run: { status: resolution === 'approved' ? 'running' : resolution },
  events: [{ key: `gate/${gate_id}/resolved`, type: 'gate.resolved' }],
  audit: [],
})

describe('events of a run', () => {
  test('many writers at once leave 1..n without a gap', async () => {
    const { run_id } = await startRun()
    const batch = (n: number): EventDraft[] =>
      Array.from({ length: 3 }, (_, k) => ({ key: `log/${n}/${k}`, type: 'step.log' }))
    await Promise.all(Array.from({ length: 40 }, (_, n) => runs.appendEvents(run_id, batch(n))))
    expect(await seqs(run_id)).toEqual(Array.from({ length: 122 }, (_, n) => n + 1))
  })

  test('the same thing is never written twice, and leaves no gap when it is skipped', async () => {
    const { run_id } = await startRun()
    const events: EventDraft[] = [{ key: 'once', type: 'step.log' }]
    await Promise.all(Array.from({ length: 10 }, () => runs.appendEvents(run_id, events)))
    expect(await runs.appendEvents(run_id, [...events, { key: 'other', type: 'step.log' }])).toBe(4)
    expect(await seqs(run_id)).toEqual([1, 2, 3, 4])
  })
})

describe('the fence', () => {
  test('an attempt whose fence was taken can write nothing more', async () => {
    const { run_id, fence } = await startRun()
    await runs.take(run_id)
    const late = await runs.record({
      run_id,
      fence,
      run: { status: 'succeeded' },
      events: [{ key: 'late', type: 'run.succeeded' }],
    })
    expect(late).toEqual({ refused: 'fenced' })
    expect(await seqs(run_id)).toEqual([1, 2])
  })

  test('a run that has ended takes no further transition', async () => {
    const { run_id, fence } = await startRun()
    await runs.record({ run_id, fence, run: { status: 'succeeded' } })
    expect(await runs.record({ run_id, fence, run: { status: 'failed', error: {} } })).toEqual({
      refused: 'terminal',
      status: 'succeeded',
    })
    expect(await runs.take(run_id)).toEqual({ refused: 'terminal', status: 'succeeded' })
  })

  test('a run that is being cancelled opens no step and no gate', async () => {
    const { run_id, fence } = await startRun()
    await runs.record({ run_id, any_fence: true, run: { status: 'cancelling' } })
    const open = { step_id: 's', ordinal: 0, attempt: 1, plan_hash: 'x', reserve_micro_usd: 0 }
    expect(await runs.record({ run_id, fence, open })).toEqual({ refused: 'cancelling' })
    expect(await runs.take(run_id)).toEqual({ refused: 'cancelling' })
  })
})

describe('a gate on record', () => {
  test('of a hundred resolutions at once the first stands, and everyone else learns which', async () => {
    const { run_id, fence } = await startRun()
    const gate_id = await park(run_id, fence)
    const kinds = ['approved', 'rejected', 'expired', 'cancelled'] as const
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        decisions.resolve(resolve(run_id, gate_id, `usr_${n}`, kinds[n % 4] ?? 'approved')),
      ),
    )
    expect(answers.filter((answer) => !('refused' in answer))).toHaveLength(1)
    const [gate] = await database.db<{ status: string }[]>`select status from gates where id = ${gate_id}`
    for (const answer of answers)
      if ('refused' in answer && answer.refused === 'resolved') expect(answer.status).toBe(gate?.status)
    const [{ count } = { count: 0 }] = await database.db<{ count: number }[]>`
      select count(*)::int as count from run_events where run_id = ${run_id} and type = 'gate.resolved'`
    expect(count).toBe(1)
  })

  test('a run that ends closes its open gate', async () => {
    const { run_id, fence } = await startRun()
    const gate_id = await park(run_id, fence)
    await runs.record({ run_id, take_fence: true, run: { status: 'cancelled' } })
    const [gate] = await database.db<{ status: string }[]>`select status from gates where id = ${gate_id}`
    expect(gate?.status).toBe('cancelled')
  })

  test('a second open gate of one run is impossible', async () => {
    const { run_id, fence } = await startRun()
    await park(run_id, fence)
    await expect(park(run_id, fence)).rejects.toThrow(/gates_one_open_per_run/)
  })
})
