import { compileExpression } from '../expression/compile-expression.ts'
import type { EvaluationBudget } from '../expression/evaluation-budget.ts'
import { renderValue } from '../expression/parse-template-string.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { scopeOf } from './scope-of.ts'
import type { AdvanceFacts, ChildRecord, PipelineError, PipelineSnapshot, PipelineStepRecord } from './snapshot.ts'
import type { PipelineStepEnd } from './transitions.ts'
import type { PipelineDefinition, PipelineStep } from './types.ts'

/** A pipeline while it is being advanced: `at` is a copy of its record that is changed in place. */
export interface PipelineWork {
  definition: PipelineDefinition
  at: PipelineSnapshot
  facts: AdvanceFacts
  /** steps whose left-out outputs are needed: decisions without them do not count */
  missing: Set<string>
}

/** The variables of an expression of the pipeline. */
export function scopeNoting({ at, missing }: PipelineWork, more: JsonObject = {}): JsonObject {
  return scopeOf(at, more, missing)
}

export function recordOf({ at }: PipelineWork, id: string): PipelineStepRecord {
  const record = at.steps.find((step) => step.id === id)
  if (record === undefined) throw new Error(`the pipeline has no step ${id}`)
  return record
}

/** The runs of a step, in the order of their entries. */
export function runsOf({ at }: PipelineWork, id: string): ChildRecord[] {
  return at.children.filter(({ step_id, role }) => step_id === id && role === 'run').sort((a, b) => a.index - b.index)
}

export function isAwaitingApproval({ status }: ChildRecord): boolean {
  return status === 'awaiting_approval'
}

/** The value of an expression, or why it has none. */
export function evaluate(text: string, scope: JsonObject, budget?: EvaluationBudget): Evaluated {
  return attempt(() => compileExpression(text).evaluate(scope, budget))
}

/** A value with the expressions in its strings filled in, or why it has none. */
export function render(value: Json, scope: JsonObject): Evaluated {
  return attempt(() => renderValue(value, scope))
}

type Evaluated = { value: Json } | { error: string }

function attempt(compute: () => Json): Evaluated {
  try {
    return { value: compute() }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

/** Ends a step; after a bad end `on_failure` decides how the pipeline closes. Always true: the state has changed. */
export function endStep(
  work: PipelineWork,
  step: PipelineStep,
  state: PipelineStepEnd,
  {
    outputs = null,
    error = null,
    reason = null,
  }: { outputs?: JsonObject | null; error?: PipelineError | null; reason?: string | null } = {},
): true {
  const record = recordOf(work, step.id)
  Object.assign(record, {
    state,
    outputs,
    error,
    reason,
    ended_at_ms: work.facts.now_ms,
    deadline_ms: null,
    paused_at_ms: null,
  })
  const isGood = state === 'succeeded' || state === 'skipped'
  if (isGood || step.on_failure === 'continue' || work.at.closing !== null) return true
  work.at.closing = {
    as: state === 'rejected' ? 'rejected' : 'failed',
    compensate: step.on_failure === 'compensate',
    error: error ?? { code: `step_${state}`, message: `the step ${step.id} is ${state}`, step: step.id },
  }
  return true
}

export function failStep(work: PipelineWork, step: PipelineStep, code: string, message: string): true {
  return endStep(work, step, 'failed', { error: { code, message, step: step.id } })
}
