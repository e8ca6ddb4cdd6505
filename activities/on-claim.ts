import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { z } from 'zod'
import { CLAIM_REFUSED, RUN_WORKFLOW, type RunClaim } from '#core/contract.ts'
import type { RecordDeps } from '#services/approvals/record-deps.ts'
import { ClaimRefused, refuseClaim } from '#services/approvals/refuse-claim.ts'

/**
 * An activity as the engine calls it. Whoever reaches the engine can schedule one with anything: only the run's own workflow may
 * speak for a run, in the one shape that there is, and what the record does not bear out ends it for good.
 */
export function onClaim<Claim extends RunClaim, Result>(
  deps: RecordDeps,
  shape: z.ZodType<Claim>,
  act: (claim: Claim) => Promise<Result>,
): (claim: Claim) => Promise<Result> {
  return async (given) => {
    try {
      const { workflowExecution, workflowType } = Context.current().info
      const runId = typeof given?.run_id === 'string' ? given.run_id : ''
      const { data: claim } = shape.safeParse(given)
      if (claim === undefined) throw await refuseClaim(deps, 'unknown_shape', runId)
      if (workflowExecution?.workflowId !== runId || workflowType !== RUN_WORKFLOW)
        throw await refuseClaim(deps, 'foreign_workflow', runId)
      return await act(claim)
    } catch (error) {
      if (error instanceof ClaimRefused) throw ApplicationFailure.nonRetryable(error.message, CLAIM_REFUSED)
      throw error
    }
  }
}
