import type { ErrorCode } from '../errors.ts'
import { START_REFUSALS } from '../trigger/outcome.ts'

const INVALID = { validation_failed: 'invalid', not_found: 'invalid', not_configured: 'invalid' } as const

type Outcomes<Table> = { [Code in ErrorCode]?: Table[keyof Table] }

const FINAL: Outcomes<typeof START_REFUSALS & typeof INVALID> = { ...START_REFUSALS, ...INVALID }

/** What a trigger that fires by itself notes where a repeat would be refused as well; undefined for what passes. */
export function finalOutcome(code: ErrorCode) {
  return FINAL[code]
}
