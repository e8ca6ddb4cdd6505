import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { GateCommand } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { ApprovalOutcome } from '#core/run/approval-schema.ts'
import { createTestApi, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { atGate, beforeItsGate, behindItsGate } from '#test/support/gate-refusals.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { createRecordDeps, createRecordEngine } from '#test/support/record-engine.ts'
import { itRefuses } from '#test/support/refused-operation.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('resumeRun')
const askedForBy = (id: string) => ({
  provenance: { trigger: { type: 'direct' }, actor: { type: 'user', id, display: 'Somebody' } },
})

itRefuses('resumeRun', sharedWorld, [
  [409, 'run_not_awaiting', beforeItsGate],
  [409, 'gate_resolved', behindItsGate],
  [403, 'approver_not_allowed', atGate({ approval_roles: [['dba']] })],
  [403, 'self_approval', atGate({ prevent_self: true }, askedForBy)],
  [422, 'note_required', atGate({ require_note: 'always' })],
  [422, 'plan_hash_required', atGate({ require_plan_hash: true })],
  [403, 'frozen', atGate({}, () => ({ environment: 'removed' }))],
])

const commands: GateCommand[] = []
let refuseWith: DomainError | undefined

const database = testDatabase()
const api = testApi(database, () => ({
  services: {
    engine: createRecordEngine(createRecordDeps(database.db), {
      onDecide(command) {
        if (refuseWith) throw refuseWith
        commands.push(command)
      },
    }),
  },
}))

async function parkedRun() {
  const id = await admitTestRun(api)
  return { id, gate_id: await parkTestRun(api, id) }
}

describe('POST /runs/{id}/resume', () => {
  it.each([
    ['approve', 'approve'],
    ['approved', 'approve'],
    ['reject', 'reject'],
    ['rejected', 'reject'],
  ])('%s reaches the gate as %s', async (word, kind) => {
    const { id, gate_id } = await parkedRun()
    const response = await api.post(`/runs/${id}/resume`, { decision: word, note: 'seen' })
    expect(response.status).toBe(200)
    expect(z.strictObject(ApprovalOutcome.shape).parse(await response.json())).toMatchObject({
      run_id: id,
      gate_id,
      decision: kind,
      resolved: true,
    })
    expect(commands.at(-1)).toMatchObject({
      gate_id,
      kind,
      note: 'seen',
      by: 'usr_local',
      channel: 'api',
      asserted: true,
    })
  })

  it('approves nothing in an environment that is not known any more; rejecting stays possible', async () => {
    const { environments, engine } = api.deps.services
    const gone = await createTestApi(database, {
      services: { engine, environments: { ...environments, get: () => undefined } },
    })
    const { id, gate_id } = await parkedRun()
    const refused = await gone.post(`/runs/${id}/resume`, { decision: 'approve' })
    expect(await refused.json()).toMatchObject({ status: 403, code: 'frozen', freeze: 'environment-unknown' })
    expect((await gone.post(`/runs/${id}/resume`, { decision: 'reject' })).status).toBe(200)
    expect(commands.at(-1)).toMatchObject({ gate_id, kind: 'reject' })
    await gone.close()
  })

  it('a missing decision is never an approval', async () => {
    const { id } = await parkedRun()
    const before = commands.length
    for (const body of [{}, { approver: 'me' }, { decision: undefined }]) {
      expect((await api.post(`/runs/${id}/resume`, body)).status).toBe(422)
    }
    expect((await api.app.request(`/runs/${id}/resume`, { method: 'POST' })).status).toBe(422)
    expect(commands.length).toBe(before)
  })

  it('a run that does not wait answers 409, a changed plan and another gate too', async () => {
    const idle = await admitTestRun(api)
    expect((await api.post(`/runs/${idle}/resume`, { decision: 'approve' })).status).toBe(409)
    const { id } = await parkedRun()
    const stale = await api.post(`/runs/${id}/resume`, { decision: 'approve', plan_hash: `sha256:${'c'.repeat(64)}` })
    expect(await stale.json()).toMatchObject({ status: 409, code: 'plan_changed', run_id: id })
    const other = await api.post(`/runs/${id}/resume`, {
      decision: 'approve',
      gate_id: 'gate_00000000000000000000000000',
    })
    expect(await other.json()).toMatchObject({ status: 409, code: 'gate_resolved' })
  })

  it.each(['gate_resolved', 'run_terminal'] as const)(
    'says 503 when the engine says %s of a gate that is open',
    async (code) => {
      const { id } = await parkedRun()
      refuseWith = new DomainError(code, 'the run has moved on')
      const decided = await api.post(`/runs/${id}/resume`, { decision: 'reject' })
      refuseWith = undefined
      expect(await decided.json()).toMatchObject({ status: 503, code: 'dependency_unavailable' })
      expect((await api.post(`/runs/${id}/resume`, { decision: 'reject' })).status).toBe(200)
    },
  )

  it('says 503 with Retry-After when the engine is away, and nothing of its internals', async () => {
    const { id } = await parkedRun()
    refuseWith = new DomainError('dependency_unavailable', 'the workflow engine cannot be reached')
    const response = await api.post(`/runs/${id}/resume`, { decision: 'approve' })
    refuseWith = undefined
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  it('a repeat is answered with the first answer and acts once', async () => {
    const { id } = await parkedRun()
    const before = commands.length
    const first = await api.post(`/runs/${id}/resume`, { decision: 'approve' }, keyed('a-1'))
    const again = await api.post(`/runs/${id}/resume`, { decision: 'approve' }, keyed('a-1'))
    expect(commands.length).toBe(before + 1)
    expect([again.status, await again.text()]).toEqual([first.status, await first.text()])
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([null, 'true'])
  })

  it('the same key for another body or another run is refused', async () => {
    const [one, two] = [await parkedRun(), await parkedRun()]
    await api.post(`/runs/${one.id}/resume`, { decision: 'approve' }, keyed('b-1'))
    const body = await api.post(`/runs/${one.id}/resume`, { decision: 'reject' }, keyed('b-1'))
    const run = await api.post(`/runs/${two.id}/resume`, { decision: 'approve' }, keyed('b-1'))
    expect([await body.json(), await run.json()]).toMatchObject([
      { code: 'idempotency_mismatch' },
      { code: 'idempotency_mismatch' },
    ])
    expect([body.status, run.status]).toEqual([422, 422])
  })

  it('of many at once one acts; the others get its answer or are told to wait', async () => {
    const { id } = await parkedRun()
    const before = commands.length
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => api.post(`/runs/${id}/resume`, { decision: 'approve' }, keyed('c-1'))),
    )
    expect(commands.length).toBe(before + 1)
    expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThan(0)
    expect(answers.every((answer) => answer.status === 200 || answer.status === 409)).toBe(true)
  })

  it('a refusal does not spend the key', async () => {
    const { id } = await parkedRun()
    refuseWith = new DomainError('dependency_unavailable', 'away')
    expect((await api.post(`/runs/${id}/resume`, { decision: 'approve' }, keyed('d-1'))).status).toBe(503)
    refuseWith = undefined
    expect((await api.post(`/runs/${id}/resume`, { decision: 'approve' }, keyed('d-1'))).status).toBe(200)
  })
})
