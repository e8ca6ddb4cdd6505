import { canonicalText } from '../canonical-text.ts'
import type { CancelCommand, GateCommand } from '../contract.ts'

/** What the API signs about a command: all of it, for one run. */
export function commandText(runId: string, command: GateCommand | CancelCommand): string {
  const { signature: _signature, ...signed } = command
  return canonicalText({ run_id: runId, ...JSON.parse(JSON.stringify(signed)) })
}
