import { describe, expect, test } from 'vitest'
import type { GateOpening } from '#core/run/patch.ts'
import { codeOf } from '#test/support/auth-api.ts'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { parkPipeline } from '#test/support/pipeline-place.ts'
import { itRefuses, likeItsExample, type Prepare } from '#test/support/refused-operation.ts'
import { parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('approvePipelineStep')

/** The example, about a step whose run waits at such a gate. */
function atGate(
  required: Partial<GateOpening['required']>,
  change: (place: GuardWorld, run: string) => Promise<unknown> = async () => undefined,
  body: object = { note: 'seen' },
): Prepare<GuardWorld> {
  return async (place, route) => {
    const asked = { approvals: 1, approval_roles: [], prevent_self: false, ...required }
    const { id, runs } = await parkPipeline(place.api, place.as('owner'), { required: asked })
    await change(place, runs[0] ?? '')
    return likeItsExample({ params: { id, step: 'act' }, body: { ...body } })(place, route)
  }
}
const inState = (state: 'queued' | 'ready', step: string): Prepare<GuardWorld> => {
  return async (place, route) =>
    likeItsExample({ params: { id: await place.pipeline(state), step }, body: {} })(place, route)
}
const answered = (place: GuardWorld, run: string) =>
  place.api.post(`/runs/${run}/resume`, { decision: 'approve' }, place.as('owner'))
const moved = (place: GuardWorld, run: string) =>
  place.api.db`update runs set environment = 'removed' where id = ${run}`

itRefuses('approvePipelineStep', sharedWorld, [
  [409, 'run_not_awaiting', inState('queued', 'hold')],
  [409, 'conflict', inState('ready', 'hold')],
  [409, 'gate_resolved', atGate({}, answered)],
  [409, 'plan_changed', atGate({}, undefined, { plan_hash: `sha256:${'0'.repeat(64)}` })],
  [403, 'approver_not_allowed', atGate({ approval_roles: [['dba']] })],
  [403, 'self_approval', atGate({ prevent_self: true })],
  [403, 'frozen', atGate({}, moved)],
  [422, 'note_required', atGate({ require_note: 'always' }, undefined, {})],
  [422, 'note_required', atGate({ require_note: 'reject' }, undefined, { decision: 'reject' })],
  [422, 'plan_hash_required', atGate({ require_plan_hash: true })],
  [422, 'validation_failed', atGate({}, undefined, { decision: 'maybe' })],
])

const world = guardWorld()

const answer = (id: string, body: object) =>
  world.api.post(`/pipelines/${id}/steps/act/approve`, body, world.as('approver'))

test('a request without a body approves', async () => {
  const { id, runs, gates } = await parkPipeline(world.api, world.as('owner'))
  const path = `/pipelines/${id}/steps/act/approve`
  const reply = await world.api.app.request(path, { method: 'POST', headers: world.as('approver') })
  expect(reply.status).toBe(200)
  expect(await reply.json()).toMatchObject({ run_id: runs[0], gate_id: gates[0], decision: 'approve', resolved: true })
})

test.each(['reject', 'rejected'])('%s rejects', async (decision) => {
  const { id, runs } = await parkPipeline(world.api, world.as('owner'))
  expect(await (await answer(id, { decision, note: 'not today' })).json()).toMatchObject({ decision: 'reject' })
  const [run] = await world.api.db`select status from runs where id = ${runs[0] ?? ''}`
  expect(run).toEqual({ status: 'rejected' })
})

describe('an answer that is repeated meets no gate that nobody has looked at', () => {
  const states = async (gates: string[]) => {
    const rows = await world.api.db<{ id: string; status: string }[]>`select id, status from gates`
    return gates.map((gate) => rows.find(({ id }) => id === gate)?.status)
  }

  test.each(['approve', 'reject'])('of a list every entry is named, to %s too', async (decision) => {
    const { id, gates } = await parkPipeline(world.api, world.as('owner'), { urls: ['a', 'b'] })
    const unnamed = await answer(id, { decision })
    expect(unnamed.status).toBe(409)
    expect(await unnamed.json()).toMatchObject({ code: 'conflict', gates: gates.map((gate_id) => ({ gate_id })) })
    expect((await answer(id, { decision, gate_id: gates[1] })).status).toBe(200)
    // the other is the only one now
    const repeated = await answer(id, { decision, plan_hash: `sha256:${'a'.repeat(64)}` })
    expect(await repeated.json()).toMatchObject({ code: 'conflict', gates: [{ gate_id: gates[0], index: 0 }] })
    for (const gate_id of [gates[1], 'gate_unknown']) {
      const closed = await (await answer(id, { decision, gate_id })).json()
      expect(closed).toMatchObject({ code: 'conflict', gates: [{ gate_id: gates[0], index: 0, role: 'run' }] })
    }
    expect((await states(gates))[0]).toBe('open')
    expect((await answer(id, { gate_id: gates[0] })).status).toBe(200)
    expect(await codeOf(await answer(id, {}))).toEqual([409, 'run_not_awaiting'])
    expect(await codeOf(await answer(id, { gate_id: 'gate_unknown' }))).toEqual([409, 'run_not_awaiting'])
  })

  test('a list of one entry, too', async () => {
    const { id, gates } = await parkPipeline(world.api, world.as('owner'), { urls: ['a'] })
    expect(await (await answer(id, {})).json()).toMatchObject({ code: 'conflict', gates: [{ gate_id: gates[0] }] })
  })

  test.each(['approve', 'reject'])('of a run its first gate is meant: %s', async (decision) => {
    const { id, runs, gates } = await parkPipeline(world.api, world.as('owner'))
    expect(await (await answer(id, {})).json()).toMatchObject({ gate_id: gates[0], resolved: true })
    expect(await codeOf(await answer(id, {}))).toEqual([409, 'gate_resolved'])
    const next = await parkTestRun(world.api, runs[0] ?? '')
    const repeated = await answer(id, { decision })
    expect(repeated.status).toBe(409)
    expect(await repeated.json()).toMatchObject({ code: 'conflict', gates: [{ gate_id: next, run_id: runs[0] }] })
    expect(await states([next])).toEqual(['open'])
    expect(await (await answer(id, { decision, gate_id: next })).json()).toMatchObject({ gate_id: next, decision })
  })
})

test('a gate of another run is not answered through the step', async () => {
  const other = await parkPipeline(world.api, world.as('owner'))
  const { id } = await parkPipeline(world.api, world.as('owner'))
  const reply = await answer(id, { gate_id: other.gates[0] })
  expect(reply.status).toBe(409)
  const gates = await world.api.db`select status from gates where id = any(${[...other.gates]}::text[])`
  expect(gates).toEqual([{ status: 'open' }])
})
