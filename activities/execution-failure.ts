import type { JsonObject } from '#core/json-pointer.ts'
import type { FailureCode } from '#core/run/failure-codes.ts'
import { visibleLine } from '#core/visible-text.ts'

/** What the engine says of a failed leg may have been made up: it stands on record as a claim, under a code of ours. */
export function executionFailure(failure: string): { code: FailureCode; message: string; details: JsonObject } {
  return {
    code: 'internal',
    message: 'a leg of the run failed for good',
    details: { engine_says: visibleLine(failure) },
  }
}
