import type { DecisionContext } from '../context.ts'
import { decideGate } from './decide-gate.ts'
import type { DecidedGate } from './gate-decision.ts'

/** Dismisses one stale gate: the run ends as `expired` with the reason on record. */
export function expireGate(
  ctx: DecisionContext,
  input: { run_id: string; reason: string; gate_id?: string | undefined },
): Promise<DecidedGate> {
  const { run_id, reason, gate_id } = input
  return decideGate(ctx, { run_id, kind: 'dismiss', note: reason, ...(gate_id === undefined ? {} : { gate_id }) })
}
