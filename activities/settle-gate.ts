import type { GateOutcome, GateSettlement } from '#core/contract.ts'
import type { EventDraft, RunEventType } from '#core/run/event.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { GatePatch } from '#store/runs.ts'
import type { ActivityDeps } from './deps.ts'
import { draftAudit } from './step-records.ts'
import { linedUp } from './walk.ts'

const RUN_AFTER: Record<'approved' | 'rejected' | 'expired' | 'cancelled', RunStatus> = {
  approved: 'running',
  rejected: 'rejected',
  expired: 'expired',
  cancelled: 'cancelled',
}

/** Records what the workflow decided about a gate. The first resolution on record stands: a repeat is answered with it. */
export const createSettleGate = (deps: ActivityDeps) =>
  async function settleGate(settlement: GateSettlement): Promise<GateOutcome> {
    const { gate, command, cancel, resolution, cause, approvals } = settlement
    const actor = command ?? cancel
    const by = actor?.by ?? 'system'
    const channel = actor?.channel ?? 'system'
    const patch = gatePatch(deps, settlement, by, channel)
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

function utc(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

function gatePatch(deps: ActivityDeps, settlement: GateSettlement, by: string, channel: string): GatePatch {
  const { run_id, workspace_id, gate, command, cancel, resolution, cause, approvals } = settlement
  const verdict = command?.kind === 'approve' || command?.kind === 'reject' ? command : null
  const who = command ?? cancel
  const actor = { type: who ? 'user' : 'system', id: by, display: who?.display ?? 'svc' }
  const note = command?.note ?? cancel?.reason ?? null
  const about = { gate_id: gate.gate_id, plan_hash: gate.plan_hash, note, asserted: who?.asserted ?? false, approvals }
  const events: EventDraft[] = []
  if (verdict) {
    events.push({
      key: `gate/${gate.gate_id}/decision/${verdict.decision_id}`,
      type: 'gate.decision',
      step: gate.step,
      actor,
      data: { ...about, decision: verdict.kind, channel },
    })
  }
  if (resolution) {
    const type: RunEventType = resolution === 'expired' ? 'gate.expired' : 'gate.resolved'
    events.push({
      key: `gate/${gate.gate_id}/resolved`,
      type,
      step: gate.step,
      actor,
      data: { ...about, status: resolution, cause, channel },
    })
  }
  const status = resolution === null ? undefined : RUN_AFTER[resolution]
  const status_reason = cause ?? (resolution === 'rejected' ? 'rejected' : undefined)
  if (status !== undefined && status !== 'running')
    events.push({ key: `run/${status}`, type: `run.${status}` as RunEventType, actor, data: { reason: cause ?? note } })
  return {
    run_id,
    gate_id: gate.gate_id,
    ...(verdict
      ? {
          vote: {
            decision_id: verdict.decision_id,
            by,
            decision: verdict.kind as 'approve' | 'reject',
            note: verdict.note ?? null,
            channel,
            asserted: verdict.asserted,
          },
        }
      : {}),
    ...(resolution && status
      ? {
          resolution,
          resolved: { by, channel, note, cause, asserted: who?.asserted ?? false },
          run: { status, ...(status_reason === undefined ? {} : { status_reason }) },
        }
      : {}),
    events,
    audit: [
      draftAudit(
        deps,
        { id: run_id, workspace_id },
        {
          category: resolution === 'expired' ? 'expiry' : 'approval',
          action: verdict ? 'gate.decided' : `gate.${resolution ?? 'decided'}`,
          actor: { type: who ? 'user' : 'system', id: by, auth: 'none' },
          channel,
          subject: { type: 'gate', id: gate.gate_id },
          data: { ...about, decision: verdict?.kind ?? null, status: resolution ?? 'open', cause, step: gate.step },
        },
      ),
    ],
  }
}
