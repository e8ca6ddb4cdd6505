import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { onClaim, ownRun } from '#activities/claims/on-claim.ts'
import { CLAIM_REFUSED, RUN_WORKFLOW } from '#core/contract.ts'
import { createIds } from '#platform/ids.ts'

const RUN = 'run_00000000000000000000000001'
const claim = { run_id: RUN, workspace_id: 'ws_00000000000000000000000000', lane: 'realtime' as const }
const shape = z.strictObject({ run_id: z.string(), workspace_id: z.string(), lane: z.enum(['realtime']) })

const caller = { workflowExecution: { workflowId: '' }, workflowType: '' }
beforeEach(() => {
  const current = vi.spyOn(Context, 'current').mockReturnValue({ info: caller } as unknown as Context)
  return () => current.mockRestore()
})

/** What comes of a claim that a workflow makes, and what is on record of its refusal. */
async function claimedBy(workflowId: string, workflowType: string, given: object = claim) {
  Object.assign(caller, { workflowExecution: { workflowId }, workflowType })
  const refused: string[] = []
  const decisions = { refuse: async (kind: string) => void refused.push(kind) }
  const act = onClaim({ ids: createIds(), clock: () => 0, decisions }, shape, ownRun, async () => 'done')
  const answer = await act(given as typeof claim).catch((error: unknown) => error)
  return { answer, refused }
}

test('a claim is made by the workflow of its name and of its type, in its one shape', async () => {
  expect(await claimedBy(RUN, RUN_WORKFLOW)).toEqual({ answer: 'done', refused: [] })
  const forged: [string, string, object, string][] = [
    ['run_00000000000000000000000002', RUN_WORKFLOW, claim, 'foreign_workflow'],
    [RUN, 'anything', claim, 'foreign_workflow'],
    [RUN, RUN_WORKFLOW, { ...claim, more: 1 }, 'unknown_shape'],
  ]
  for (const [id, type, given, kind] of forged) {
    const { answer, refused } = await claimedBy(id, type, given)
    expect(answer).toBeInstanceOf(ApplicationFailure)
    expect(answer).toMatchObject({ type: CLAIM_REFUSED, nonRetryable: true })
    expect(refused).toEqual([kind])
  }
})
