import { canonicalText } from '../json/canonical.ts'
import { usdFromMicro } from '../money.ts'
import type { OperatorCatalog } from '../operator.ts'
import type { Hash } from './check-plan.ts'
import type { Plan, PlanStep } from './types.ts'

/** The longest timeout of a step that may begin beside a workflow task, in which nobody else is answered. */
export const LOCAL_STEP_MS = 1_000

/** Whether the first execution is likely to come to a gate, or to the end, beside its workflow task: all that it would begin before is short. */
export function staysLocal(steps: readonly PlanStep[]): boolean {
  for (const step of steps) {
    if (step.requires_approval) return true
    if (step.timeout_ms > LOCAL_STEP_MS) return false
  }
  return true
}

/** What a run may cost in US dollars, all attempts included, before its inputs are rendered; null where that is not known. */
export function estimatePlan({ steps }: Pick<Plan, 'steps'>, operators: Pick<OperatorCatalog, 'get'>): number | null {
  let sum = 0
  for (const step of steps) {
    const cost = costOf(step, operators)
    if (cost === undefined) return null
    sum += cost * step.retry.max_attempts
  }
  return usdFromMicro(sum)
}

/** Micro-dollars of one attempt. A cost that is an expression is not known yet. */
function costOf(step: PlanStep, operators: Pick<OperatorCatalog, 'get'>): number | undefined {
  const operator = operators.get(step.operator)
  if (operator === undefined) return undefined
  try {
    const parts = Object.values(operator.estimate?.(step.with) ?? {})
    return parts.every((part) => Number.isSafeInteger(part)) ? parts.reduce((sum, part) => sum + part, 0) : undefined
  } catch {
    return undefined
  }
}

/** All that a plan may turn out to be, as far as that is known before its inputs are rendered: what the template, its steps and their operators say. */
export function planActionTypes({ action_types, steps }: Pick<Plan, 'action_types' | 'steps'>): string[] {
  const ofSteps = steps.flatMap(({ action_type, operator_type }) =>
    operator_type === undefined ? [action_type] : [action_type, operator_type],
  )
  return [...new Set([...action_types, ...ofSteps])]
}

/**
 * The same plan, of which nothing acts before somebody has approved it: every step that is no plain read asks, and where there is none, the
 * first. It has a digest of its own.
 */
export function requireApproval({ digest: _digest, ...plan }: Plan, hash: Hash): Plan {
  const acts = plan.steps.map(
    ({ action_type, operator_type }) => action_type !== 'read' || (operator_type ?? 'read') !== 'read',
  )
  const steps = plan.steps.map((step, index) =>
    acts[index] || (index === 0 && !acts.includes(true)) ? { ...step, requires_approval: true } : step,
  )
  const stricter = { ...plan, steps }
  return { ...stricter, digest: `sha256:${hash(canonicalText(stricter))}` }
}
