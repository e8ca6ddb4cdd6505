import type { DecisionContext } from '../context.ts'
import { type DecidedGate, decideGate } from './decide-gate.ts'

/** Dismisses one stale gate: the run ends as `expired` with the reason on record. */
export function expireGate(ctx: DecisionContext, input: { run_id: string; reason: string }): Promise<DecidedGate> {
  return decideGate(ctx, { run_id: input.run_id, kind: 'dismiss', note: input.reason })
}
