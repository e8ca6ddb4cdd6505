import type { AuditDraft } from '#core/audit/types.ts'
import type { GateSettlement } from '#core/contract.ts'
import type { Decision, GateStatus } from '#core/gate/types.ts'
import type { Ids } from '#core/id.ts'
import type { EventDraft } from '#core/run/event.ts'
import { type Clock, isoTime } from '#core/time.ts'
import type { GatePatch } from '#store/run-records.ts'

const RUN_AFTER = {
  approved: { status: 'running', event: null },
  rejected: { status: 'rejected', event: 'run.rejected' },
  expired: { status: 'expired', event: 'run.expired' },
  cancelled: { status: 'cancelled', event: 'run.cancelled' },
} as const satisfies Record<Exclude<GateStatus, 'open'>, object>

/** What a decision about a gate writes: the vote, the resolution, the run's next status, its events and its audit record. */
export function settlementPatch(deps: { ids: Ids; clock: Clock }, settlement: GateSettlement): GatePatch {
  const { run_id, workspace_id, gate, command, cancel, resolution, cause, approvals } = settlement
  const who = command ?? cancel
  const by = who?.by ?? 'system'
  const channel = who?.channel ?? 'system'
  const note = command?.note ?? cancel?.reason ?? null
  const verdict = verdictOf(settlement)
  const about = {
    gate_id: gate.gate_id,
    plan_hash: gate.plan_hash,
    note,
    asserted: who?.asserted ?? false,
    approvals,
    ...(who?.via === undefined ? {} : { via: who.via }),
    ...(who?.delegations === undefined ? {} : { delegations: who.delegations.map(({ of, roles }) => ({ of, roles })) }),
  }
  const audit: AuditDraft = {
    id: deps.ids.next('audit'),
    ts: isoTime(deps.clock()),
    category: resolution === 'expired' ? 'expiry' : 'approval',
    action: verdict === null && resolution !== null ? `gate.${resolution}` : 'gate.decided',
    workspace_id,
    actor: { type: who ? 'user' : 'system', id: by, auth: who?.auth ?? 'none' },
    channel,
    run_id,
    subject: { type: 'gate', id: gate.gate_id },
    data: { ...about, decision: verdict, status: resolution ?? 'open', cause, step: gate.step },
  }
  return {
    run_id,
    gate_id: gate.gate_id,
    ...(command === null || verdict === null
      ? {}
      : {
          vote: {
            decision_id: command.decision_id,
            by,
            decision: verdict,
            note: command.note ?? null,
            channel,
            asserted: command.asserted,
            roles: command.roles,
            auth: command.auth ?? 'none',
            via: command.via ?? null,
            delegations: command.delegations ?? [],
          },
        }),
    ...resolutionOf(settlement, { by, channel, note, asserted: about.asserted }),
    events: eventsOf(settlement, { ...about, channel }),
    audit: [audit],
  }
}

function verdictOf({ command }: GateSettlement): Decision | null {
  return command?.kind === 'approve' || command?.kind === 'reject' ? command.kind : null
}

function resolutionOf(
  { resolution, cause }: GateSettlement,
  by: { by: string; channel: string; note: string | null; asserted: boolean },
): Pick<GatePatch, 'resolution' | 'resolved' | 'run'> {
  if (resolution === null) return {}
  const reason = cause ?? (resolution === 'rejected' ? 'rejected' : null)
  const run = { status: RUN_AFTER[resolution].status, ...(reason === null ? {} : { status_reason: reason }) }
  return { resolution, resolved: { ...by, cause }, run }
}

function eventsOf(settlement: GateSettlement, about: EventDraft['data'] & { note: string | null }): EventDraft[] {
  const { gate, command, cancel, resolution, cause } = settlement
  const who = command ?? cancel
  const actor = { type: who ? 'user' : 'system', id: who?.by ?? 'system', display: who?.display ?? 'svc' }
  const verdict = verdictOf(settlement)
  const events: EventDraft[] = []
  if (command !== null && verdict !== null) {
    const key = `gate/${gate.gate_id}/decision/${command.decision_id}`
    events.push({ key, type: 'gate.decision', step: gate.step, actor, data: { ...about, decision: verdict } })
  }
  if (resolution === null) return events
  events.push({
    key: `gate/${gate.gate_id}/resolved`,
    type: resolution === 'expired' ? 'gate.expired' : 'gate.resolved',
    step: gate.step,
    actor,
    data: { ...about, status: resolution, cause },
  })
  const { status, event } = RUN_AFTER[resolution]
  if (event !== null) events.push({ key: `run/${status}`, type: event, actor, data: { reason: cause ?? about.note } })
  return events
}
