import type { Invariant } from '../breach.ts'

/** The audit chain is whole by the published formula, and the service is well when it is over. */
export const serviceHolds: Invariant = function* ({ chain_fault, healthy }) {
  if (chain_fault !== undefined) yield { says: `the audit chain does not hold: ${chain_fault}` }
  if (!healthy.startsWith('200 ')) yield { says: `the service is not well: ${healthy}` }
}
