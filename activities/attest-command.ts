import type { GateCommand, GateSettlement } from '#core/contract.ts'
import { commandText } from '#core/gate/command-text.ts'
import type { ActivityDeps } from './deps.ts'
import { draftAudit } from './step-records.ts'

/**
 * Why the record does not accept a decision that the engine did; undefined when it does. Who has access to the engine can
 * send it anything: an approval counts when the API signed it, or when that access is said to be guarded. Stopping is open to all.
 */
export function refusedCommand(deps: ActivityDeps, settlement: GateSettlement): string | undefined {
  const { command } = settlement
  if (settlement.refused !== undefined) return settlement.refused
  if (command?.kind !== 'approve') return undefined
  const counts = command.channel === 'temporal' ? deps.signals_approve : isAttested(deps, settlement.run_id, command)
  return counts ? undefined : 'approver_not_allowed'
}

/** A stop that does not come from the API is recorded as what it is: somebody with access to the engine. */
export function attributed(deps: ActivityDeps, settlement: GateSettlement): GateSettlement {
  const { command } = settlement
  if (command === null || command.channel === 'temporal' || isAttested(deps, settlement.run_id, command)) {
    return settlement
  }
  const { note, gate_id, decision_id, kind } = command
  return {
    ...settlement,
    command: {
      gate_id,
      decision_id,
      kind,
      by: 'temporal',
      display: 'Temporal',
      roles: [],
      channel: 'temporal',
      asserted: true,
      ...(note === undefined ? {} : { note }),
    },
  }
}

/** An attempt that counts for nothing is part of the record too. */
export async function recordRefused(deps: ActivityDeps, settlement: GateSettlement, code: string): Promise<void> {
  const { command, gate, run_id, workspace_id } = settlement
  if (command === null) return
  await deps.runs.appendAudit([
    draftAudit(
      deps,
      { id: run_id, workspace_id },
      {
        category: 'approval',
        action: 'gate.refused',
        actor: { type: 'user', id: command.channel === 'temporal' ? command.by : 'temporal', auth: 'none' },
        channel: 'temporal',
        subject: { type: 'gate', id: gate.gate_id },
        data: { decision: command.kind, code, said_to_be: command.by, plan_hash: gate.plan_hash },
      },
    ),
  ])
}

function isAttested(deps: ActivityDeps, runId: string, command: GateCommand): boolean {
  return deps.attest === undefined || deps.attest(commandText(runId, command), command.signature ?? '')
}
