import { describe, expect, it } from 'vitest'
import { DismissalOutcome } from '#core/run/approval-schema.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'
import { openGate, parkGate } from '#test/support/park-gate.ts'

itIsGuarded('dismissGates')

const world = guardWorld()

const dismiss = (body: object) =>
  world.api.post('/approvals/dismiss', { reason: 'left over', ...body }, world.as('operator'))
const outcomeOf = async (answer: Response) => DismissalOutcome.parse(await answer.json())

describe('POST /approvals/dismiss', () => {
  it('says which runs it would end and ends none, then ends exactly those', async () => {
    const id = await world.parkedRun()
    const seen = await outcomeOf(await dismiss({ run_ids: [id], dry_run: true }))
    expect(seen.dismissed).toEqual([id])
    expect(await (await world.api.get(`/runs/${id}`, world.as('viewer'))).json()).toMatchObject({
      status: 'awaiting_approval',
    })
    expect(await outcomeOf(await dismiss({ run_ids: [id], token: seen.token }))).toMatchObject({ dismissed: [id] })
    expect((await outcomeOf(await dismiss({ run_ids: [id], dry_run: true }))).dismissed).toEqual([])
  })

  it('refuses when other gates are meant than those that were shown', async () => {
    const { token } = await outcomeOf(await dismiss({ run_ids: [await world.parkedRun()], dry_run: true }))
    const other = await world.parkedRun()
    const answer = await dismiss({ run_ids: [other], token })
    expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'plan_changed' }])
  })

  it('leaves a gate alone that opened after the look: nobody was shown it', async () => {
    const { runs, deps } = world.api
    const { run_id, claim } = await parkGate(runs)
    const { stale } = deps.reads
    const { find } = stale
    stale.find = async (filter, limit) => {
      const found = await find(filter, limit)
      const answer = await world.api.post(`/runs/${run_id}/resume`, { decision: 'approve' }, world.as('approver'))
      expect(answer.status).toBe(200)
      await openGate(runs, claim)
      return found
    }
    const outcome = await dismiss({ run_ids: [run_id] })
      .then(outcomeOf)
      .finally(() => Object.assign(stale, { find }))
    expect(outcome).toEqual({ dismissed: [], skipped: [{ run_id, why: 'gate_resolved' }] })
    const still = await world.api.get(`/runs/${run_id}`, world.as('viewer'))
    expect(await still.json()).toMatchObject({ id: run_id, status: 'awaiting_approval' })
    expect(await outcomeOf(await dismiss({ run_ids: [run_id] }))).toMatchObject({ dismissed: [run_id] })
  })

  it('touches no gate of a workspace that the caller may not enter', async () => {
    const id = await world.parkedRun()
    const answer = await world.api.post(
      '/approvals/dismiss',
      { run_ids: [id], reason: 'left over', dry_run: true },
      world.as('stranger'),
    )
    expect((await outcomeOf(answer)).dismissed).toEqual([])
  })
})
