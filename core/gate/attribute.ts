import type { CancelCommand, CommandBy, GateCommand } from '../contract.ts'
import { canonicalText } from '../json/canonical.ts'
import type { ClaimKind } from './types.ts'

export interface Attribution {
  /** checks the API's signature of a text; absent where there is no key */
  verify?: ((text: string, signature: string) => boolean) | undefined
  /** true while authentication is off */
  open: boolean
}

/** An unidentified user with access to the Temporal server. */
export const BY_TEMPORAL = {
  by: 'temporal',
  display: 'Temporal',
  type: 'system',
  roles: ['owner'],
  channel: 'temporal',
  asserted: true,
} as const satisfies CommandBy

/**
 * Returns the actor of a command. The API's signature proves its whole content. A command without a signature is the caller's own claim
 * while authentication is off, and else comes from a user with access to the Temporal server.
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

/** Returns the text of a command that the API signs: the whole command, for one run. */
export function commandText(runId: string, command: GateCommand | CancelCommand): string {
  const { signature: _signature, ...signed } = command
  return canonicalText({ run_id: runId, ...JSON.parse(JSON.stringify(signed)) })
}
