import type { ErrorCode } from '../errors.ts'

const GOVERNED = { policy_denied: 'denied', frozen: 'frozen', halted: 'halted' } as const
const INVALID = { validation_failed: 'invalid', not_found: 'invalid', not_configured: 'invalid' } as const

type Outcomes<Table> = { [Code in ErrorCode]?: Table[keyof Table] }

const OF_GOVERNANCE: Outcomes<typeof GOVERNED> = GOVERNED
const FINAL: Outcomes<typeof GOVERNED & typeof INVALID> = { ...GOVERNED, ...INVALID }

/** What a trigger notes where governance has refused its run; undefined for every other refusal. */
export function governedOutcome(code: ErrorCode) {
  return OF_GOVERNANCE[code]
}

/** What a trigger that fires by itself notes where a repeat would be refused as well; undefined for what passes. */
export function finalOutcome(code: ErrorCode) {
  return FINAL[code]
}
