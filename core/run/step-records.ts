import type { Charge } from '../budget/charge.ts'
import { askedBy } from '../gate/requester.ts'
import type { JsonObject } from '../json/json.ts'
import { NO_COST, totalCost, usdText } from '../money.ts'
import type { PlanStep } from '../plan/types.ts'
import type { PolicyVerdict } from '../policy/types.ts'
import type { EventDraft } from './event.ts'
import type { AuditFacts, StepSettlement } from './patch.ts'

/** The step that a transition is about, and what records say of its run. */
export interface StepFacts {
  run: { id: string; environment: string; dry_run: boolean; provenance: JsonObject }
  step: Pick<PlanStep, 'id' | 'operator' | 'operator_version' | 'when'>
  /** its place in the plan */
  ordinal: number
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

export function stepKey({ step, ordinal }: StepFacts): Pick<StepSettlement, 'step_id' | 'ordinal'> {
  return { step_id: step.id, ordinal }
}

/** The charge as a settlement says it: without a report the record charges all that it holds for the attempt. */
export function settledCharge({ cost, overrun, basis }: Charge): Partial<StepSettlement> {
  if (basis === 'estimate') return {}
  return {
    llm_micro_usd: cost.llm,
    gpu_micro_usd: cost.gpu,
    storage_micro_usd: cost.storage,
    overrun_micro_usd: overrun,
  }
}

/** What an operator logged, as events of its attempt. */
export function logEvents({ step }: StepFacts, { number: attempt, log = [] }: Pick<Attempt, 'number' | 'log'>) {
  return log.map(
    (line, index): EventDraft => ({
      key: `step/${step.id}/${attempt}/log/${index}`,
      type: 'step.log',
      step: step.id,
      data: { attempt, ...line },
    }),
  )
}

/** The verdict as everyone may read it later: what matched, why, and what it led to. */
export function decidedRecords(
  of: StepFacts,
  { verdict, gate, plan_hash }: JudgedFacts,
  led: { phase: string; attempt: number; led_to: 'effect' | 'gate' | 'denial' | 'report'; effect?: JsonObject },
): { event: EventDraft; audit: AuditFacts } {
  const { run, step } = of
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
    event: { key: `step/${step.id}/${attempt}/${phase}/policy`, type: 'policy.decided', step: step.id, data },
    audit: {
      category: 'policy_decision',
      action: 'policy.decided',
      subject: stepSubject(of),
      data: { ...data, environment: run.environment, ...askedBy(run.provenance), led_to, ...effect },
    },
  }
}

export function matchedRules({ matched }: PolicyVerdict) {
  return matched.map(({ name, layer, effect, reason }) => ({ name, layer, effect, reason }))
}

/** What came of an attempt, for the lineage; without outputs it brought nothing back. */
export function attemptRecord(
  of: StepFacts,
  made: Attempt,
  end: { state: StepSettlement['state']; plan_hash: string; outputs_hash?: string; artifacts?: string[] },
): AuditFacts {
  const { state, plan_hash, outputs_hash = '', artifacts = [] } = end
  return {
    category: 'lineage',
    action: 'step.settled',
    subject: stepSubject(of),
    data: {
      operator: `${of.step.operator}@${of.step.operator_version}`,
      attempt: made.number,
      state,
      ...(of.run.dry_run && { dry_run: true }),
      plan_hash,
      outputs_hash,
      cost_usd: usdText(totalCost(made.charge.cost)),
      artifacts,
    },
  }
}

function stepSubject({ run, step }: StepFacts) {
  return { type: 'step', id: `${run.id}:${step.id}` }
}
