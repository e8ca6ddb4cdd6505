import { DomainError } from '#core/errors.ts'
import { compileExpression } from '#core/expression/compile-expression.ts'
import { renderValue } from '#core/expression/render-value.ts'
import type { JsonObject } from '#core/json.ts'
import type { Operator } from '#core/operator.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { ActivityDeps } from './deps.ts'
import type { RunFailure } from './fail-run.ts'
import { expressionScope, type Walk } from './walk.ts'

export type PreparedStep =
  | { kind: 'ready'; operator: Operator; input: JsonObject }
  | { kind: 'skipped' }
  | { kind: 'invalid'; error: RunFailure }

/** Evaluates `when`, renders the input and lets the operator parse it. Pure but for the operators' own parsing. */
export function prepareStep(deps: ActivityDeps, walk: Walk, step: PlanStep): PreparedStep {
  const operator = deps.operators.get(step.operator)
  if (operator === undefined || operator.version !== step.operator_version) {
    const message = `operator ${step.operator} version ${step.operator_version} is not available on this worker`
    return { kind: 'invalid', error: { code: 'operator_unavailable', message, retryable: false } }
  }
  try {
    const scope = expressionScope(walk)
    if (step.when !== undefined && compileExpression(step.when).evaluate(scope) !== true) return { kind: 'skipped' }
    const rendered = renderValue(step.with, scope) as JsonObject
    return { kind: 'ready', operator, input: operator.parse(operator.wants_scope ? { ...rendered, scope } : rendered) }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const details =
      error.details.errors === undefined
        ? {}
        : { details: { errors: error.details.errors.map(({ pointer, msg }) => ({ pointer, msg })) } }
    return {
      kind: 'invalid',
      error: { code: error.code, message: `step ${step.id}: ${error.message}`, retryable: false, ...details },
    }
  }
}
