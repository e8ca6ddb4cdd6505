import type { AuditDraft } from '#core/audit/types.ts'
import type { CommandBy, GateCommand } from '#core/contract.ts'
import { askedBy } from '#core/gate/requester.ts'
import { requirement } from '#core/gate/requirement.ts'
import type { Vote } from '#core/gate/tally.ts'
import type { Decision, GateStatus } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { EventDraft } from '#core/run/event.ts'
import type { GatePatch } from '#core/run/patch.ts'
import type { GateState } from '#store/gates/gate-decisions.ts'
import { draftOf, type RecordDeps } from './record-deps.ts'

const RUN_AFTER = {
  approved: { status: 'running', event: null },
  rejected: { status: 'rejected', event: 'run.rejected' },
  expired: { status: 'expired', event: 'run.expired' },
  cancelled: { status: 'cancelled', event: 'run.cancelled' },
} as const satisfies Record<Exclude<GateStatus, 'open'>, object>

const SYSTEM: CommandBy = {
  by: 'system',
  display: 'svc',
  type: 'system',
  roles: [],
  channel: 'system',
  asserted: false,
}

export interface GateChange {
  workspace_id: string
  gate: GateState
  /** null: the gate expired */
  who: (CommandBy & { decision_id: string; note?: string; reason?: string }) | null
  vote: (GateCommand & { kind: Decision }) | null
  resolution: Exclude<GateStatus, 'open'> | null
  /** machine-readable cause of an expiry: ttl, dismissed, condition_cleared */
  cause: string | null
  /** absent: no vote has changed them */
  approvals?: { have: number; need: number }
  /** the votes that the resolution rests on; absent where it rests on none */
  counted?: Vote[]
}

/** Builds the writes of a decision about a gate: the vote, the resolution, the run's next status, its events and its audit record. */
export function gatePatch(deps: Pick<RecordDeps, 'ids' | 'clock'>, change: GateChange): GatePatch {
  const { workspace_id, gate, vote, resolution, cause } = change
  const approvals = change.approvals ?? gate.answers.at(-1)?.approvals ?? { have: 0, need: gate.required.approvals }
  const who = change.who ?? SYSTEM
  const { by, channel, asserted, via, behind, delegations } = who
  const note = change.who?.note ?? change.who?.reason ?? null
  const verdict = vote?.kind ?? null
  const votes = resolution === null ? undefined : change.counted
  const counted = votes?.map(countedVote)
  const about = {
    gate_id: gate.gate_id,
    plan_hash: gate.plan_hash,
    note,
    asserted,
    approvals,
    ...(via !== undefined && { via }),
    ...(behind !== undefined && { behind }),
    ...(delegations !== undefined && { delegations: delegations.map(({ of, roles }) => ({ of, roles })) }),
  }
  const audit: AuditDraft = draftOf(
    deps,
    { run_id: gate.run_id, workspace_id },
    {
      category: resolution === 'expired' ? 'expiry' : 'approval',
      action: verdict === null && resolution !== null ? `gate.${resolution}` : 'gate.decided',
      actor: { type: who.type, id: by, auth: who.auth ?? 'none' },
      channel,
      subject: { type: 'gate', id: gate.gate_id },
      data: {
        ...about,
        decision: verdict,
        status: resolution ?? 'open',
        cause,
        step: gate.step_id,
        required: requirement(gate.required),
        ...(gate.evidence.length === 0 ? {} : { evidence: gate.evidence }),
        ...askedBy(gate.provenance),
        ...(vote === null ? {} : { roles: vote.roles }),
        ...(counted !== undefined && { counted }),
      },
    },
  )
  return {
    run_id: gate.run_id,
    gate_id: gate.gate_id,
    approvals,
    ...(vote === null ? {} : { vote }),
    ...(resolution === null
      ? {}
      : {
          resolution,
          resolved: {
            by,
            channel,
            note,
            asserted,
            cause,
            approvals,
            decision_id: change.who?.decision_id ?? null,
            ...(votes && { counted: votes.flatMap(({ decision_id }) => decision_id ?? []) }),
          },
          run: runAfter(resolution, cause),
        }),
    events: eventsOf(change, who, { ...about, channel }),
    audit: [audit],
  }
}

function countedVote({ by, decision, roles, via, behind, asserted, delegations }: Vote): JsonObject {
  const lent = (delegations ?? []).map(({ of, roles: held }) => ({ of, roles: [...held] }))
  return {
    by,
    decision,
    roles: [...(roles ?? [])],
    asserted: asserted ?? false,
    ...(via !== undefined && { via }),
    ...(behind !== undefined && { behind: [...behind] }),
    ...(lent.length === 0 ? {} : { delegations: lent }),
  }
}

function runAfter(resolution: Exclude<GateStatus, 'open'>, cause: string | null): NonNullable<GatePatch['run']> {
  const reason = cause ?? (resolution === 'rejected' ? 'rejected' : null)
  return { status: RUN_AFTER[resolution].status, ...(reason === null ? {} : { status_reason: reason }) }
}

function eventsOf(
  { gate, vote, resolution, cause }: GateChange,
  who: CommandBy,
  about: EventDraft['data'] & { note: string | null },
): EventDraft[] {
  const actor = { type: who.type, id: who.by, display: who.display }
  const step = gate.step_id
  const events: EventDraft[] = []
  if (vote !== null) {
    const key = `gate/${gate.gate_id}/decision/${vote.decision_id}`
    events.push({ key, type: 'gate.decision', step, actor, data: { ...about, decision: vote.kind } })
  }
  if (resolution === null) return events
  const type = resolution === 'expired' ? 'gate.expired' : 'gate.resolved'
  events.push({
    key: `gate/${gate.gate_id}/resolved`,
    type,
    step,
    actor,
    data: { ...about, status: resolution, cause },
  })
  const { status, event } = RUN_AFTER[resolution]
  if (event !== null) events.push({ key: `run/${status}`, type: event, actor, data: { reason: cause ?? about.note } })
  return events
}
