import { canonicalText } from '../canonical-text.ts'
import type { GateCommand } from '../contract.ts'

/** What the API signs about a decision: everything that the engine acts on, for one run. */
export function commandText(runId: string, command: GateCommand): string {
  const { signature: _signature, ...signed } = command
  return canonicalText({ run_id: runId, ...JSON.parse(JSON.stringify(signed)) })
}
