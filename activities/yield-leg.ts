import type { LegOutcome } from '#core/contract.ts'
import { letGo, type RunSession, stoppedBy, type WriteDeps } from './run-session.ts'

/** Ends an execution between two steps; the next one goes on from here. */
export async function yieldLeg(deps: WriteDeps, session: RunSession): Promise<LegOutcome> {
  const refused = await letGo(deps, session)
  return refused === undefined ? { kind: 'yielded' } : stoppedBy(refused)
}
