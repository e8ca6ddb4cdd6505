import type { LaneActivities, LedgerActivities } from '#core/contract.ts'
import { ClaimShapes } from '#core/gate/command-schema.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import { expireDueGate } from '#services/approvals/expire-gate.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import type { RecordDeps } from '#services/approvals/record-deps.ts'
import { claimedRun } from '#services/approvals/refuse-claim.ts'
import { closeRun } from '#services/runs/close-run.ts'
import { recordCancel } from '#services/runs/record-cancel.ts'
import { onClaim, ownRun } from './claims/on-claim.ts'
import type { ActivityDeps } from './deps.ts'
import { createAdvanceRun } from './run/advance-run.ts'

export function createLedgerActivities(deps: RecordDeps): LedgerActivities {
  return {
    recordDecision: onClaim(deps, ClaimShapes.recordDecision, ownRun, (claim) => recordDecision(deps, claim)),
    expireGate: onClaim(deps, ClaimShapes.expireGate, ownRun, (claim) => expireDueGate(deps, claim)),
    recordCancel: onClaim(deps, ClaimShapes.recordCancel, ownRun, (claim) => recordCancel(deps, claim)),
    readDelay: onClaim(deps, ClaimShapes.readDelay, ownRun, async (claim) => ({
      remaining_ms: (await claimedRun(deps, claim)).delay_ms,
    })),
    closeRun: onClaim(deps, ClaimShapes.closeRun, ownRun, ({ failure, ...claim }) =>
      closeRun(deps, claim, failure === null ? null : executionFailure(failure)),
    ),
  }
}

/** A lane's worker also keeps the short records of its runs. */
export function createLaneActivities(deps: ActivityDeps): LaneActivities & LedgerActivities {
  return {
    advanceRun: onClaim(deps, ClaimShapes.advanceRun, ownRun, createAdvanceRun(deps)),
    ...createLedgerActivities(deps),
  }
}

/** What the engine says of a failed execution may have been made up: it stands on record as a claim, under a code of ours. */
export function executionFailure(failure: string): { code: FailureCode; message: string; details: JsonObject } {
  return {
    code: 'internal',
    message: 'an execution of the run failed for good',
    details: { engine_says: visibleLine(failure) },
  }
}
