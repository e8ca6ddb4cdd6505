import type { ErrorCode } from '../errors.ts'

/** Answers of governance to a request to start a run, by the code of its error. A repeated request gets the same answer. */
export const START_REFUSALS = {
  policy_denied: 'denied',
  frozen: 'frozen',
  halted: 'halted',
} as const satisfies Partial<Record<ErrorCode, string>>

type RefusalCode = keyof typeof START_REFUSALS
export type RefusedOutcome = (typeof START_REFUSALS)[RefusalCode]
export const REFUSED_OUTCOMES = Object.values(START_REFUSALS)

/** Outcomes of a signal that requests a run, such as an alert. */
export const SIGNAL_OUTCOMES = [
  'started',
  'attached',
  'resolved',
  'throttled',
  'suppressed',
  ...REFUSED_OUTCOMES,
  'unmatched',
] as const
export type SignalOutcome = (typeof SIGNAL_OUTCOMES)[number]

export function isStartRefusal(code: string): code is RefusalCode {
  return Object.hasOwn(START_REFUSALS, code)
}

/** Returns the error code of an outcome; undefined for one without an error. */
export function refusalOf(outcome: SignalOutcome): ErrorCode | undefined {
  return Object.keys(START_REFUSALS)
    .filter(isStartRefusal)
    .find((code) => START_REFUSALS[code] === outcome)
}

const INVALID = { validation_failed: 'invalid', not_found: 'invalid', not_configured: 'invalid' } as const

type Outcomes<Table> = { [Code in ErrorCode]?: Table[keyof Table] }

const FINAL: Outcomes<typeof START_REFUSALS & typeof INVALID> = { ...START_REFUSALS, ...INVALID }

/** What a trigger that fires by itself notes where a repeat would be refused as well; undefined for what passes. */
export function finalOutcome(code: ErrorCode) {
  return FINAL[code]
}
