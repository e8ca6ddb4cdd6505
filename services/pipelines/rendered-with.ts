import { DomainError } from '#core/errors.ts'
import { renderValue } from '#core/expression/render-value.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import { scopeOf } from '#core/pipeline/scope-of.ts'
import type { RunStep } from '#core/pipeline/types.ts'
import { evaluated } from '#core/pipeline/work.ts'
import type { PipelineView } from '#store/pipeline-views.ts'

/** The inputs that a step would give its run now, or the first of its runs. Throws `conflict` where they are not known yet. */
export function renderedWith(view: PipelineView, step: RunStep): JsonObject {
  const scope = scopeOf(view)
  try {
    const rendered = renderValue(step.with, { ...scope, ...firstEntry(step, scope) })
    return isObject(rendered) ? rendered : {}
  } catch (error) {
    throw new DomainError('conflict', `the inputs of the step ${step.id} are not known: ${String(error)}`)
  }
}

function firstEntry({ for_each }: RunStep, scope: JsonObject): JsonObject {
  if (for_each === undefined) return {}
  const items = evaluated(for_each.items, scope)
  const [item = null]: Json[] = 'value' in items && Array.isArray(items.value) ? items.value : []
  return { item, index: 0 }
}
