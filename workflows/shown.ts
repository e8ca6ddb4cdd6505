import {
  ApplicationFailure,
  CancelledFailure,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { DECIDE_GATE, ENDS_AS_RUN, FAILURE_TEXT_LENGTH, RUN_FAILED } from '#core/contract.ts'
import { AWAITING_GATE, RUN_STATUS } from '#core/run/search.ts'
import type { TerminalStatus } from '#core/run/status.ts'

/**
 * True for a run that shows its status as an attribute, and ends Failed or Cancelled when it failed or was cancelled. Recorded histories
 * without this memo replay without that. Details leave no event in a history; a change of attributes leaves one.
 */
function isShown(): boolean {
  return workflowInfo().memo?.[ENDS_AS_RUN] === true
}

export function showGate(gate_id: string, step: string): void {
  const { workflowId } = workflowInfo()
  setCurrentDetails(
    `Step \`${step}\` waits for an answer to its gate \`${gate_id}\`: a person approves or rejects it, by the link in their message, with \`svc remote approve ${workflowId}\`, or by the Update \`${DECIDE_GATE}\` where that is allowed.`,
  )
  if (isShown() && awaited() !== gate_id) show('awaiting_approval', gate_id)
}

export function showProgress(): void {
  setCurrentDetails('')
  if (isShown() && awaited() !== undefined) show(null, null)
}

/**
 * A failed run is Failed, a cancelled one is Cancelled. A run that people or the clock rejected is Completed, because it did what it was
 * told, and its status is in the attribute.
 */
export function endAs<Status extends TerminalStatus>(
  status: Status,
  failure: string | null,
  what: 'run' | 'pipeline' = 'run',
): { status: Status } {
  setCurrentDetails(status === 'failed' && failure !== null ? `It failed: ${failure}` : `The ${what} ended: ${status}.`)
  if (!isShown()) return { status }
  const turnedDown = status === 'rejected' || status === 'expired'
  if (turnedDown || awaited() !== undefined) show(turnedDown ? status : null, null)
  if (status === 'failed') throw failed(what, failure)
  if (status !== 'cancelled') return { status }
  // `interceptors` turns it into a cancellation, also if the engine itself was not asked for one
  throw new CancelledFailure(`the ${what} was cancelled`)
}

function failed(what: string, failure: string | null): ApplicationFailure {
  return ApplicationFailure.create({
    type: RUN_FAILED,
    message: `the ${what} failed${failure === null ? '' : `: ${failure.slice(0, FAILURE_TEXT_LENGTH)}`}`,
    nonRetryable: true,
    category: 'BENIGN',
  })
}

function awaited(): string | undefined {
  return workflowInfo().typedSearchAttributes.get(AWAITING_GATE)
}

function show(status: string | null, gate_id: string | null): void {
  upsertSearchAttributes([
    { key: RUN_STATUS, value: status },
    { key: AWAITING_GATE, value: gate_id },
  ])
}
