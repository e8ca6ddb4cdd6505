import { compileExpression } from '../expression/compile-expression.ts'
import { isTemplateString, parseTemplateString } from '../expression/parse-template-string.ts'
import type { Json, JsonObject } from '../json.ts'
import { valueAt } from '../json-pointer.ts'

/** The JSON types of the CEL types that are known in advance. A double is left out, because its value may be whole. */
const TYPES: Record<string, string> = {
  string: 'string',
  int: 'integer',
  bool: 'boolean',
  list: 'array',
  map: 'object',
}

/** The one type that a schema declares for a member. */
export function declaredType(schema: JsonObject, name: string): string | undefined {
  const type = valueAt(schema, ['properties', name, 'type'])
  return typeof type === 'string' ? type : undefined
}

/** The JSON type that a bare expression has whatever the values are; `inputs` is the schema of those that it may name. */
export function expressionType(text: string, inputs: JsonObject): string | undefined {
  try {
    const { type, references } = compileExpression(text)
    const named = /^\s*inputs\.([A-Za-z_]\w*)\s*$/.exec(text)?.[1]
    if (named !== undefined && references.length === 1) return declaredType(inputs, named)
    return TYPES[type.replace(/<.*/, '')]
  } catch {
    // another check reports what is wrong with it
    return undefined
  }
}

/** The JSON type that a string with expressions is rendered to. */
export function renderedType(value: Json | undefined, inputs: JsonObject): string | undefined {
  if (typeof value !== 'string' || !isTemplateString(value)) return undefined
  try {
    const [part, ...more] = parseTemplateString(value)
    if (part?.kind !== 'expression' || more.length > 0) return 'string'
    return expressionType(part.expression.text, inputs)
  } catch {
    return undefined
  }
}

/** Whether a value of one type can pass as the other; an unknown type can. */
export function mayBe(type: string | undefined, wanted: string | undefined): boolean {
  if (type === undefined || wanted === undefined || type === wanted) return true
  return (type === 'integer' && wanted === 'number') || (type === 'number' && wanted === 'integer')
}
