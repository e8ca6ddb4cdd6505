import { DomainError } from '#core/errors.ts'
import { createBudget } from '#core/expression/evaluation-budget.ts'
import { renderValue } from '#core/expression/render-value.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import { scopeOf } from '#core/pipeline/scope-of.ts'
import type { RunStep } from '#core/pipeline/types.ts'
import { evaluated } from '#core/pipeline/work.ts'
import type { PipelineView } from '#store/pipeline-views.ts'

/** Asked by a person who waits, in the process that answers everybody. */
const MAX_UNITS = 500_000

/** The inputs that a step would give its run now, or the run of one entry. Throws `conflict` where they are not known yet. */
export function renderedWith(view: PipelineView, step: RunStep, index = 0): JsonObject {
  const scope = scopeOf(view)
  const items = itemsOf(view, step)
  const entry = items === undefined ? {} : { item: items[index] ?? null, index }
  try {
    const rendered = renderValue(step.with, { ...scope, ...entry }, createBudget(MAX_UNITS))
    return isObject(rendered) ? rendered : {}
  } catch (error) {
    throw new DomainError('conflict', `the inputs of the step ${step.id} are not known: ${String(error)}`)
  }
}

/** The list of a `for_each`; undefined where it is not known yet, and for any other step. */
export function itemsOf(view: PipelineView, { for_each }: RunStep): Json[] | undefined {
  const items = for_each && evaluated(for_each.items, scopeOf(view), createBudget(MAX_UNITS))
  return items !== undefined && 'value' in items && Array.isArray(items.value) ? items.value : undefined
}
