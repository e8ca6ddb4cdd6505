import type { Json, JsonObject } from '../json.ts'
import { isTemplateString, parseTemplateString, type TemplatePart } from './parse-template-string.ts'

/**
 * Fills `${{ … }}` anywhere inside a JSON value. A string that is exactly one expression takes the type of its result; within
 * text a string stands as it is and everything else as JSON. Throws `validation_failed` that names the expression.
 */
export function renderValue(value: Json, scope: JsonObject): Json {
  if (typeof value === 'string')
    return isTemplateString(value) ? renderString(parseTemplateString(value), scope) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(item, scope)]))
}

function renderString(parts: TemplatePart[], scope: JsonObject): Json {
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'expression') return only.expression.evaluate(scope)
  return parts.map((part) => (part.kind === 'text' ? part.text : inText(part.expression.evaluate(scope)))).join('')
}

function inText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
