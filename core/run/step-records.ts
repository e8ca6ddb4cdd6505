import type { Charge } from '../budget/charge.ts'
import { askedBy } from '../gate/requester.ts'
import type { JsonObject } from '../json/json.ts'
import { NO_COST, totalCost, usdText } from '../money.ts'
import type { PlanStep } from '../plan/types.ts'
import type { PolicyVerdict } from '../policy/types.ts'
import type { EventDraft } from './event.ts'
import type { AuditFacts, StepSettlement } from './patch.ts'
import type { StepState } from './status.ts'

/** The step that a transition is about, and what records say of its run. */
export interface StepFacts {
  run: { id: string; environment: string; dry_run: boolean; provenance: JsonObject }
  step: Pick<PlanStep, 'id' | 'operator' | 'operator_version' | 'when'>
  /** by which its records name it: `ordinal` is its place in the plan */
  key: Pick<StepSettlement, 'step_id' | 'ordinal'>
}

/** How a step was judged, as far as records say it. */
export interface JudgedFacts {
  plan_hash: string
  verdict: PolicyVerdict
  gate: { on: boolean; because: string[] }
}

/** An attempt that has ended, with what it is charged. */
export interface Attempt {
  number: number
  charge: Charge
  /** what the operator logged, line by line */
  log?: JsonObject[]
}

/** What nothing was reserved for: a delay, a dry run. */
export const FREE: Charge = { cost: NO_COST, overrun: 0, basis: 'estimate' }

/** The charge as a settlement says it: without a report the record charges all that it holds for the attempt. */
function settledCharge({ cost, overrun, basis }: Charge): Partial<StepSettlement> {
  if (basis === 'estimate') return {}
  return {
    llm_micro_usd: cost.llm,
    gpu_micro_usd: cost.gpu,
    storage_micro_usd: cost.storage,
    overrun_micro_usd: overrun,
  }
}

/** The verdict as everyone may read it later: what matched, why, and what it led to. */
export function decidedRecords(
  { run, step }: StepFacts,
  { verdict, gate, plan_hash }: JudgedFacts,
  led: { phase: string; attempt: number; led_to: 'effect' | 'gate' | 'denial' | 'report'; effect?: JsonObject },
): { event: EventDraft; audit: AuditFacts } {
  const data: JsonObject = {
    effect: verdict.effect,
    gate: gate.on,
    because: gate.because,
    matched: matchedRules(verdict),
    dry_run: verdict.dry_run,
    broken_policies: verdict.broken_policies,
    ...(verdict.overrides !== undefined && { overrides: verdict.overrides.map((each) => ({ ...each })) }),
    policy_snapshot: verdict.snapshot_hash,
    plan_hash,
    operator: step.operator,
    ...(run.dry_run && { of_dry_run: true }),
  }
  const { phase, attempt, led_to, effect } = led
  return {
    event: {
      key: `step/${step.id}/${attempt}/${phase}/policy`,
      type: 'policy.decided',
      step: step.id,
      data: { ...data, led_to },
    },
    audit: {
      category: 'policy_decision',
      action: 'policy.decided',
      subject: { type: 'step', id: `${run.id}:${step.id}` },
      data: { ...data, environment: run.environment, ...askedBy(run.provenance), led_to, ...effect },
    },
  }
}

export function matchedRules({ matched }: PolicyVerdict) {
  return matched.map(({ name, layer, effect, reason }) => ({ name, layer, effect, reason }))
}

/** Lines that an operator logged, of which the first is the one at `from`. Of the same line there is one event, however often it is written. */
export function logEvents(step: string, attempt: number, lines: readonly JsonObject[], from = 0): EventDraft[] {
  return lines.map((line, index) => ({
    key: `step/${step}/${attempt}/log/${from + index}`,
    type: 'step.log',
    step,
    data: { attempt, ...line },
  }))
}

/** An attempt that has ended: its settlement, the log of its operator, and its result for the lineage; no outputs: no result. */
export function attemptEnded(
  { run, step, key }: StepFacts,
  { number: attempt, charge, log = [] }: Attempt,
  end: { state: StepState; plan_hash: string; outputs_hash?: string; artifacts?: string[] },
): { settle: StepSettlement; events: EventDraft[]; audit: AuditFacts } {
  const { state, plan_hash, outputs_hash = '', artifacts = [] } = end
  return {
    settle: { ...key, state, attempt, ...settledCharge(charge) },
    events: logEvents(step.id, attempt, log),
    audit: {
      category: 'lineage',
      action: 'step.settled',
      subject: { type: 'step', id: `${run.id}:${step.id}` },
      data: {
        operator: `${step.operator}@${step.operator_version}`,
        attempt,
        state,
        ...(run.dry_run && { dry_run: true }),
        plan_hash,
        outputs_hash,
        cost_usd: usdText(totalCost(charge.cost)),
        artifacts,
      },
    },
  }
}
