import type { LegOutcome } from '#core/contract.ts'
import type { ApprovalSettings } from '#core/environment.ts'
import { askedBy } from '#core/gate/requester.ts'
import { requirement } from '#core/gate/requirement.ts'
import type { GateKind, Required } from '#core/gate/types.ts'
import type { JsonObject } from '#core/json.ts'
import { type MicroUsd, usdFromMicro } from '#core/money.ts'
import type { StepSettlement } from '#core/run/patch.ts'
import { HOUR_MS, isoTime } from '#core/time.ts'
import { visibleData } from '#core/visible-text.ts'
import { stoppedBy, writePatch } from '../run/run-session.ts'
import { describeOperation, type ShownPlan, shownInputs } from './describe.ts'
import { estimateOf } from './estimate.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { type Attempt, attemptRecord, decidedRecords, draftAudit, recordedTargets } from './records.ts'
import { egressRules, shownModels } from './resolved.ts'
import { logEvents } from './step-log.ts'
import { type JudgedWork, stepKey } from './work.ts'

interface GateCause {
  kind: GateKind
  /** why this gate opens now: because the authorities say so, the plan changed, an outcome is unknown */
  because: string[]
  /** the same in words, for those who answer; it stays out of the records */
  words?: string | undefined
  settle?: StepSettlement
  /** the attempt whose outcome is unknown */
  made?: Attempt
  simulation?: JsonObject
  /** who must agree, where it is not what the authorities ask of the step */
  required?: Required
}

/** Parks the run on a gate that shows exactly what is to be approved. Nothing else happens. */
export async function openGate(work: JudgedWork, cause: GateCause): Promise<LegOutcome> {
  const { deps, session, step, judged } = work
  const { head, environment } = session
  const attempt = session.steps.get(step.id)?.attempt ?? 0
  const gate_id = deps.ids.next('gate')
  const { ttl_hours } = environment.approval
  const ttl_ms = ttl_hours === undefined ? deps.approval_ttl_ms : Math.round(ttl_hours * HOUR_MS)
  const opened_ms = deps.clock()
  const expires_at = isoTime(opened_ms + ttl_ms)
  const nth = session.gates.filter((gate) => gate.step_id === step.id).length
  const decided = decidedRecords(work, {
    attempt,
    verdict: judged.verdict,
    gate: { on: true, because: cause.because },
    plan_hash: judged.plan_hash,
    phase: `gate/${nth}`,
    led_to: 'gate',
  })
  const plan = describeOperation(work)
  const shown = evidenceOf(deps, session)
  const estimate = await estimateOf(work)
  const required = cause.required ?? judged.gate.required
  const opened = {
    gate_id,
    step: step.id,
    plan_hash: judged.plan_hash,
    kind: cause.kind,
    because: cause.because,
    expires_at,
  }
  const recorded = await writePatch(deps, session, {
    ...(cause.settle === undefined ? {} : { settle: cause.settle }),
    gate: {
      id: gate_id,
      ...stepKey(work),
      attempt,
      kind: cause.kind,
      plan_hash: judged.plan_hash,
      inputs: shownInputs(work),
      required,
      view: gateView(work, { cause, plan, shown, estimate, opened_ms }),
      expires_at,
      ...(cause.simulation === undefined ? {} : { simulation: cause.simulation }),
    },
    events: [
      ...logEvents(step.id, cause.made?.number ?? 0, cause.made?.log),
      decided.event,
      { key: `gate/${gate_id}/opened`, type: 'gate.opened', step: step.id, data: opened },
    ],
    audit: [
      ...(cause.made ? [attemptRecord(work, cause.made, 'outcome_unknown')] : []),
      decided.audit,
      draftAudit(deps, head, {
        category: 'gated_operation',
        action: 'gate.opened',
        subject: { type: 'gate', id: gate_id },
        data: {
          ...opened,
          ...askedBy(head.provenance),
          required: requirement(required),
          environment: environment.name,
          operator: `${judged.operator.id}@${judged.operator.version}`,
          action_type: judged.action_type,
          targets: recordedTargets(plan),
          evidence: shown.map(({ step: of, digest }) => ({ step: of, digest })),
        },
      }),
    ],
  })
  if ('refused' in recorded) return stoppedBy(recorded)
  deps.fault('after_park')
  return { kind: 'parked', gate_id, step: step.id }
}

interface Shown {
  cause: GateCause
  plan: ShownPlan
  shown: Evidence[]
  estimate: MicroUsd
  opened_ms: number
}

/** The static part of what an approver sees; votes and spending are read when it is shown. */
function gateView(work: JudgedWork, { cause, plan, shown, estimate, opened_ms }: Shown): JsonObject {
  const { session, step, judged } = work
  const { head, environment } = session
  const { operator, redacted, resolved } = judged
  const { connection, models, deployment } = resolved
  return visibleData({
    operation: {
      operator: `${operator.id}@${operator.version}`,
      action_type: judged.action_type,
      capabilities: operator.capabilities,
      risk: operator.risk,
      environment: environment.name,
      targets: { ...plan.targets, count: plan.targets.ids.length },
      ...(connection === undefined ? {} : { connection: { id: connection.id, ...connection.target } }),
      ...(models === undefined ? {} : { models: shownModels(models) }),
      ...(deployment === undefined ? {} : { deployment }),
      egress: egressRules(resolved.environment),
    },
    plan: {
      summary: plan.summary,
      steps: session.plan.steps.map((each) => ({ id: each.id, operator: each.operator, this: each.id === step.id })),
      ...(plan.diff === undefined ? {} : { diff: plan.diff }),
      ...(plan.command === undefined ? {} : { command: plan.command }),
    },
    covers: judged.covers,
    inputs: redacted.shown,
    secret_commitments: redacted.commitments,
    ...askedBy(head.provenance),
    reason: head.reason,
    because: [...cause.because, ...(cause.words === undefined ? [] : [cause.words])],
    authorities: {
      operator: judged.gate.authorities.operator,
      profile: judged.gate.authorities.profile,
      pack: judged.gate.authorities.pack,
      policy: {
        effect: judged.verdict.effect,
        matched: judged.verdict.matched.map(({ name, layer, effect, reason }) => ({ name, layer, effect, reason })),
      },
    },
    evidence: shown,
    estimate_usd: usdFromMicro(estimate),
    channels: [...new Set([...judged.verdict.channels, ...environment.approval.channels])],
    ...slaView(opened_ms, environment.approval),
    broken_policies: judged.verdict.broken_policies,
    simulation: cause.simulation ?? null,
  })
}

/** When an unanswered gate is announced again, and to whom it goes then; nothing where its environment does not say. */
function slaView(opened_ms: number, settings: ApprovalSettings): JsonObject {
  const { remind_after_ms, escalate_after_ms, escalate_to } = settings
  if (remind_after_ms === undefined && escalate_after_ms === undefined) return {}
  const sla: JsonObject = {}
  if (remind_after_ms !== undefined) sla['remind_at'] = isoTime(opened_ms + remind_after_ms)
  if (escalate_after_ms !== undefined) {
    sla['escalate_at'] = isoTime(opened_ms + escalate_after_ms)
    if (escalate_to.length > 0) sla['escalate_to'] = escalate_to
  }
  return { sla }
}
