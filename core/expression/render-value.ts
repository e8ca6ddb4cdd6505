import type { Json, JsonObject } from '../json/json.ts'
import { createBudget, type EvaluationBudget } from './evaluation-budget.ts'
import { isTemplateString, parseTemplateString, type TemplatePart } from './parse-template-string.ts'

/**
 * Fills `${{ … }}` anywhere inside a JSON value. A string that is exactly one expression takes the type of its result; within
 * text a string stands as it is and everything else as JSON. All of its expressions share a budget. Throws `validation_failed` that
 * names the expression.
 */
export function renderValue(value: Json, scope: JsonObject, budget: EvaluationBudget = createBudget()): Json {
  if (typeof value === 'string')
    return isTemplateString(value) ? renderString(parseTemplateString(value), scope, budget) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope, budget))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(item, scope, budget)]))
}

function renderString(parts: TemplatePart[], scope: JsonObject, budget: EvaluationBudget): Json {
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'expression') return only.expression.evaluate(scope, budget)
  return parts
    .map((part) => (part.kind === 'text' ? part.text : inText(part.expression.evaluate(scope, budget))))
    .join('')
}

function inText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
