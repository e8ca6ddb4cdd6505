import { beforeAll, describe, expect, it } from 'vitest'
import { DismissalOutcome } from '#core/run/approval-schema.ts'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('dismissGates')

let world: GuardWorld
beforeAll(async () => {
  world = await sharedWorld()
})

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
