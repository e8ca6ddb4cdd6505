import { canonicalText } from '../json/canonical.ts'
import { usdFromMicro } from '../money.ts'
import type { OperatorCatalog } from '../operator.ts'
import type { Hash } from './check-plan.ts'
import type { Plan, PlanStep } from './types.ts'

/** The longest timeout of a step that may run in a local activity, which blocks other answers of its workflow task. */
export const LOCAL_STEP_MS = 1_000

/** Tells whether the first execution will likely reach a gate, or the end, in a local activity: all steps before it are short. */
export function staysLocal(steps: readonly PlanStep[]): boolean {
  for (const step of steps) {
    if (step.requires_approval) return true
    if (step.timeout_ms > LOCAL_STEP_MS) return false
  }
  return true
}

/** Returns the most that a run may cost in US dollars, with all attempts, before its inputs are rendered; null where that is unknown. */
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

/**
 * Returns the possible action types of a plan, as far as they are known before its inputs are rendered: from the template, its steps and
 * their operators.
 */
export function planActionTypes({ action_types, steps }: Pick<Plan, 'action_types' | 'steps'>): string[] {
  const ofSteps = steps.flatMap(({ action_type, operator_type }) =>
    operator_type === undefined ? [action_type] : [action_type, operator_type],
  )
  return [...new Set([...action_types, ...ofSteps])]
}

/**
 * Returns the same plan with an approval before its first effect: every step that is no plain read gets a gate, and where there is none,
 * the first step. It has a digest of its own.
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
