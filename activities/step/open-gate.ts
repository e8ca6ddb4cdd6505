import type { ApprovalSettings } from '#core/environment/environment.ts'
import { askedBy } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json/json.ts'
import { type MicroUsd, usdFromMicro } from '#core/money.ts'
import { capabilitiesOf } from '#core/operator.ts'
import { highestRisk } from '#core/policy/types.ts'
import { parked } from '#core/run/gate-transition.ts'
import { matchedRules } from '#core/run/step-records.ts'
import { visibleData } from '#core/text/visible-text.ts'
import { HOUR_MS, isoTime } from '#core/time/time.ts'
import { describeOperation, estimateOf, recordedTargets, type ShownPlan, shownInputs } from './describe.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { egressRules, shownModels } from './resolved.ts'
import type { Decision, GateCause, JudgedWork } from './work.ts'

/** The run waits on a gate that shows exactly what is to be approved. Nothing else happens. */
export async function openGate(work: JudgedWork, cause: GateCause): Promise<Decision> {
  const { deps, session, step, judged, of, record } = work
  const id = deps.ids.next('gate')
  const { ttl_hours } = session.environment.approval
  const ttl_ms = ttl_hours === undefined ? deps.approval_ttl_ms : Math.round(ttl_hours * HOUR_MS)
  const opened_ms = deps.clock()
  const plan = describeOperation(session.redactor, judged)
  const evidence = evidenceOf(deps, session)
  const estimate = await estimateOf(deps, judged)
  const { action_type, operator } = judged
  const transition = parked(of, judged, {
    gate: {
      id,
      attempt: record?.attempt ?? 0,
      kind: cause.kind,
      inputs: shownInputs(deps, judged),
      required: cause.required ?? judged.gate.required,
      view: gateView(work, { cause, plan, evidence, estimate, opened_ms }),
      expires_at: isoTime(opened_ms + ttl_ms),
      ...(cause.simulation && { simulation: cause.simulation }),
    },
    because: cause.because,
    nth: session.gates.filter((gate) => gate.step_id === step.id).length,
    targets: recordedTargets(plan),
    action_type,
    operator,
    evidence,
    unknown: cause.unknown,
  })
  return { kind: 'write', transition, end: { kind: 'parked', gate_id: id, step: step.id } }
}

interface Shown {
  cause: GateCause
  plan: ShownPlan
  evidence: Evidence[]
  estimate: MicroUsd
  opened_ms: number
}

/** The static part of what an approver sees; votes and spending are read when it is shown. */
function gateView(
  { session, step, judged }: JudgedWork,
  { cause, plan, evidence, estimate, opened_ms }: Shown,
): JsonObject {
  const { head, environment } = session
  const { operator, redacted, resolved } = judged
  const { connection, models, queue, deployment } = resolved
  return visibleData({
    operation: {
      operator: `${operator.id}@${operator.version}`,
      action_type: judged.action_type,
      capabilities: capabilitiesOf(operator, judged.input),
      risk: highestRisk(session.plan.risk, judged.risk),
      environment: environment.name,
      targets: { ...plan.targets, count: plan.targets.ids.length },
      ...(connection === undefined ? {} : { connection: { id: connection.id, ...connection.target } }),
      ...(models === undefined ? {} : { models: shownModels(models) }),
      ...(queue === undefined ? {} : { queue }),
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
        matched: matchedRules(judged.verdict),
      },
    },
    evidence,
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
