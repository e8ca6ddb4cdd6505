import type { GateOutcome, GateSettlement } from '#core/contract.ts'
import { settlementPatch } from '#services/approvals/settlement-patch.ts'
import { attributed, recordRefused, refusedCommand } from './attest-command.ts'
import type { ActivityDeps } from './deps.ts'
import { linedUp } from './walk.ts'

/** Records what the workflow decided about a gate. The first resolution on record stands: a repeat is answered with it. */
export const createSettleGate = (deps: ActivityDeps) =>
  async function settleGate(given: GateSettlement): Promise<GateOutcome> {
    const refused = refusedCommand(deps, given)
    if (refused !== undefined) {
      await recordRefused(deps, given, refused)
      return openOutcome(given, refused)
    }
    const settlement = attributed(deps, given)
    const { gate, command, cancel, resolution, cause, approvals } = settlement
    const actor = command ?? cancel
    const by = actor?.by ?? 'system'
    const channel = actor?.channel ?? 'system'
    const patch = settlementPatch(deps, settlement)
    const recorded = await deps.runs.resolveGate(patch)
    deps.ring(settlement.run_id)
    if ('refused' in recorded) {
      if (recorded.refused !== 'resolved') {
        return {
          gate_id: gate.gate_id,
          status: 'cancelled',
          resolved: true,
          approvals,
          resolved_by: null,
          resolved_at: null,
          channel,
        }
      }
      const stored = recorded.resolution
      return {
        gate_id: gate.gate_id,
        status: recorded.status,
        resolved: true,
        approvals,
        resolved_by: typeof stored['by'] === 'string' ? stored['by'] : null,
        resolved_at: utc(recorded.resolved_at),
        channel,
      }
    }
    deps.audit.offer(linedUp(patch.audit, recorded))
    await deps.audit.acknowledged(recorded.audit.map((entry) => entry.outbox_id))
    return {
      gate_id: gate.gate_id,
      status: resolution ?? 'open',
      resolved: resolution !== null,
      approvals,
      resolved_by: resolution === null ? null : by,
      resolved_at: utc(recorded.resolved_at),
      channel,
      ...(cause === null ? {} : { cause }),
    }
  }

function openOutcome({ gate, command, approvals }: GateSettlement, refused: string): GateOutcome {
  return {
    gate_id: gate.gate_id,
    status: 'open',
    resolved: false,
    approvals,
    resolved_by: null,
    resolved_at: null,
    channel: command?.channel ?? 'system',
    refused,
  }
}

function utc(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
