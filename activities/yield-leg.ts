import type { LegOutcome } from '#core/contract.ts'
import { stoppedBy } from './fail-run.ts'
import { letGo, type Walk, type WriteDeps } from './walk.ts'

/** Ends a leg between two steps; the next one goes on from here. */
export async function yieldLeg(deps: WriteDeps, walk: Walk): Promise<LegOutcome> {
  const refused = await letGo(deps, walk)
  return refused === undefined ? { kind: 'yielded' } : stoppedBy(refused)
}
