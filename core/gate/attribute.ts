import type { CancelCommand, CommandBy, GateCommand } from '../contract.ts'
import { canonicalText } from '../json/canonical.ts'
import type { ClaimKind } from './types.ts'

export interface Attribution {
  /** whether the API signed this text; absent where there is no key */
  verify?: ((text: string, signature: string) => boolean) | undefined
  /** true while nobody's identity is checked */
  open: boolean
}

/** Somebody with access to the engine, and nothing that says who. */
export const BY_TEMPORAL = {
  by: 'temporal',
  display: 'Temporal',
  type: 'system',
  roles: ['owner'],
  channel: 'temporal',
  asserted: true,
} as const satisfies CommandBy

/**
 * In whose name a command counts. The API's signature proves everything that stands in it. One without a signature is an
 * assertion where nobody's identity is checked, and elsewhere that of somebody with access to the engine.
 */
export function attribute<Command extends GateCommand | CancelCommand>(
  runId: string,
  command: Command,
  { verify, open }: Attribution,
): { command: Command; signed: boolean } | { refused: ClaimKind } {
  const { signature } = command
  if (signature !== undefined && verify !== undefined) {
    const sound = command.at !== undefined && verify(commandText(runId, command), signature)
    return sound ? { command, signed: true } : { refused: 'bad_signature' }
  }
  const { signature: _signature, via: _via, behind: _behind, ...unproven } = command
  const { delegations: _delegations, auth: _auth, ...bare } = unproven
  if (open) return { command: { ...bare, asserted: true } as Command, signed: false }
  return { command: { ...bare, ...BY_TEMPORAL, roles: [...BY_TEMPORAL.roles] } as Command, signed: false }
}

/** What the API signs about a command: all of it, for one run. */
export function commandText(runId: string, command: GateCommand | CancelCommand): string {
  const { signature: _signature, ...signed } = command
  return canonicalText({ run_id: runId, ...JSON.parse(JSON.stringify(signed)) })
}
