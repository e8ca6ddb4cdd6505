import type { AuditDraft } from '#core/audit/types.ts'
import type { Charge } from '#core/budget/charge.ts'
import { askedBy } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json.ts'
import { NO_COST, totalCost, usdText } from '#core/money.ts'
import type { PolicyVerdict } from '#core/policy/types.ts'
import type { EventDraft } from '#core/run/event.ts'
import type { StepSettlement } from '#core/run/patch.ts'
import { isoTime } from '#core/time.ts'
import { visible } from '#core/visible-text.ts'
import type { StepDeps } from '../deps.ts'
import type { ShownPlan } from './describe.ts'
import type { JudgedWork, StepWork } from './work.ts'

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
export function settledCharge({ cost, overrun, basis }: Charge): Partial<StepSettlement> {
  if (basis === 'estimate') return {}
  return {
    llm_micro_usd: cost.llm,
    gpu_micro_usd: cost.gpu,
    storage_micro_usd: cost.storage,
    overrun_micro_usd: overrun,
  }
}

const SYSTEM = { type: 'system', id: 'svc', auth: 'none' } as const

/** An audit draft about a step (or the run) by the service itself. */
export function draftAudit(
  deps: StepDeps,
  head: { id: string; workspace_id: string; dry_run: boolean },
  record: Pick<AuditDraft, 'category' | 'action' | 'data'> & Partial<Pick<AuditDraft, 'subject' | 'actor' | 'channel'>>,
): AuditDraft {
  return {
    id: deps.ids.next('audit'),
    ts: isoTime(deps.clock()),
    workspace_id: head.workspace_id,
    actor: SYSTEM,
    run_id: head.id,
    subject: { type: 'run', id: head.id },
    ...record,
    data: head.dry_run ? { ...record.data, of_dry_run: true } : record.data,
  }
}

/** The verdict as everyone may read it later: what matched, why, and what it led to. */
function verdictData(verdict: PolicyVerdict, gate: { on: boolean; because: string[] }): JsonObject {
  return {
    effect: verdict.effect,
    gate: gate.on,
    because: gate.because,
    matched: verdict.matched.map(({ name, layer, effect, reason }) => ({ name, layer, effect, reason })),
    dry_run: verdict.dry_run,
    broken_policies: verdict.broken_policies,
    ...(verdict.overrides !== undefined && { overrides: verdict.overrides.map((each) => ({ ...each })) }),
    policy_snapshot: verdict.snapshot_hash,
  }
}

export function decidedRecords(
  { deps, session: { head }, step }: StepWork,
  facts: {
    attempt: number
    verdict: PolicyVerdict
    gate: { on: boolean; because: string[] }
    plan_hash: string
    phase: string
    led_to: 'effect' | 'gate' | 'denial' | 'report'
    /** of an effect alone */
    effect?: JsonObject
  },
): { event: EventDraft; audit: AuditDraft } {
  const of_dry_run = head.dry_run ? { of_dry_run: true } : {}
  const data = {
    ...verdictData(facts.verdict, facts.gate),
    plan_hash: facts.plan_hash,
    operator: step.operator,
    ...of_dry_run,
  }
  return {
    event: {
      key: `step/${step.id}/${facts.attempt}/${facts.phase}/policy`,
      type: 'policy.decided',
      step: step.id,
      data,
    },
    audit: draftAudit(deps, head, {
      category: 'policy_decision',
      action: 'policy.decided',
      subject: { type: 'step', id: `${head.id}:${step.id}` },
      data: {
        ...data,
        environment: head.environment,
        ...askedBy(head.provenance),
        led_to: facts.led_to,
        ...facts.effect,
      },
    }),
  }
}

/** An attempt that brought nothing back. */
export function attemptRecord(
  work: JudgedWork,
  made: Attempt,
  state: 'failed' | 'cancelled' | 'outcome_unknown',
): AuditDraft {
  return lineageRecord(work, {
    attempt: made.number,
    state,
    outputs_hash: '',
    cost_micro_usd: totalCost(made.charge.cost),
    artifacts: [],
  })
}

const MAX_TARGETS = 20
const TARGET_CHARACTERS = 500

/** What an operation is aimed at, as far as a record has room for it: the plan hash covers all of it. */
export function recordedTargets({ targets }: ShownPlan): JsonObject {
  const ids = targets.ids.slice(0, MAX_TARGETS).map((id) => visible(id).slice(0, TARGET_CHARACTERS))
  return { kind: targets.kind, ids, count: targets.ids.length }
}

export function lineageRecord(
  { deps, session: { head }, step, judged }: JudgedWork,
  facts: {
    attempt: number
    state: string
    outputs_hash: string
    cost_micro_usd: number
    artifacts: string[]
  },
): AuditDraft {
  return draftAudit(deps, head, {
    category: 'lineage',
    action: 'step.settled',
    subject: { type: 'step', id: `${head.id}:${step.id}` },
    data: {
      operator: `${step.operator}@${step.operator_version}`,
      attempt: facts.attempt,
      state: facts.state,
      ...(head.dry_run ? { dry_run: true } : {}),
      plan_hash: judged.plan_hash,
      outputs_hash: facts.outputs_hash,
      cost_usd: usdText(facts.cost_micro_usd),
      artifacts: facts.artifacts,
    },
  })
}
