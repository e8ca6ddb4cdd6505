import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow'
import { CLAIM_REFUSED } from '#core/contract.ts'

/** The record knows no such run, or it is not this workflow's: nothing is left to do. */
export function isRefusedClaim(error: unknown): boolean {
  // what fails beside the workflow task is not wrapped
  const cause = error instanceof ActivityFailure ? error.cause : error
  return cause instanceof ApplicationFailure && cause.type === CLAIM_REFUSED
}
