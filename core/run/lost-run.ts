import { canonicalText } from '../json/canonical.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { cutText } from '../text/text.ts'
import type { StepState } from './status.ts'

const SHOWN_CHARS = 300

/** The step that a run has come to, as the record says. */
export interface ReachedStep {
  step: string
  operator: string
  state: StepState
  /** what its gate says that it does */
  summary: string | null
  /** as approvers are shown them */
  inputs: Json
}

/**
 * Why a run ends whose workflow is not there any more, for the person on call: after a restore the record may be older than what
 * was done, so what it says of a step is where to begin.
 */
export function lostRun(at: ReachedStep | null): {
  message: string
  step?: string
  details?: JsonObject
} {
  const lost = 'the workflow was ended from outside, or its engine lost it'
  if (at === null)
    return {
      message: `${lost}; every step had ended, and only the end of the run was not on record`,
    }
  const { step, operator, state, summary, inputs } = at
  const shown = summary ?? (inputs === null ? '' : cut(canonicalText(inputs)))
  const what = shown === '' ? operator : `${operator}: ${shown}`
  const message = `${lost}. Step ${step} (${what}) ${WHERE[state] ?? 'was next'}. It, and the steps after it, may have acted all the same: after a restore, what was done since the backup is not on record. Look at the target, and start the run again only if it has not happened.`
  return { message, step, details: { step_state: state } }
}

const WHERE: Partial<Record<StepState, string>> = {
  running: 'was under way',
  awaiting_approval: 'waited for an approval',
  outcome_unknown: 'may have acted, and waited for somebody to look',
}

const cut = (text: string) => (text.length <= SHOWN_CHARS ? text : `${cutText(text, SHOWN_CHARS)}…`)
