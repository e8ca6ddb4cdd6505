import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { z } from 'zod'
import { CLAIM_REFUSED, RUN_WORKFLOW, type RunClaim } from '#core/contract.ts'
import { type ClaimPorts, ClaimRefused, refuseClaim } from '#services/approvals/refuse-claim.ts'

/** The one workflow that may make a claim. */
interface Claimant {
  workflow_id: string
  type: string
}

/** A run is spoken for by the workflow of its name. */
export const ownRun = ({ run_id }: RunClaim): Claimant => ({ workflow_id: run_id, type: RUN_WORKFLOW })

/**
 * An activity as the engine calls it. Anybody with access to Temporal can schedule one with any input: only the workflow that a claim
 * belongs to may make it, in the one shape that there is, and what the record does not bear out ends it for good. `act` gets the run id of
 * the workflow's execution too.
 */
export function onClaim<Claim, Result>(
  ports: ClaimPorts,
  shape: z.ZodType<Claim>,
  claimantOf: (claim: NoInfer<Claim>) => Claimant,
  act: (claim: Claim, execution: string) => Promise<Result>,
): (claim: Claim) => Promise<Result> {
  return async (given) => {
    try {
      const { workflowExecution, workflowType } = Context.current().info
      const { data: claim } = shape.safeParse(given)
      if (claim === undefined) throw await refuseClaim(ports, 'unknown_shape', subjectOf(given))
      const { workflow_id, type } = claimantOf(claim)
      if (workflowExecution?.workflowId !== workflow_id || workflowType !== type)
        throw await refuseClaim(ports, 'foreign_workflow', subjectOf(given))
      return await act(claim, workflowExecution.runId)
    } catch (error) {
      if (error instanceof ClaimRefused) throw ApplicationFailure.nonRetryable(error.message, CLAIM_REFUSED)
      throw error
    }
  }
}

/** What an unknown input is about, by the id that it has for it. */
function subjectOf(given: unknown): string {
  const { run_id, schedule_id, pipeline_id, halt_id, authorization_id, job_id } = (given ?? {}) as Record<
    string,
    unknown
  >
  return (
    [run_id, schedule_id, pipeline_id, halt_id, authorization_id, job_id].find((id) => typeof id === 'string') ?? ''
  )
}
