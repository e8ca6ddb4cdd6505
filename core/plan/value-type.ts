import { compileExpression } from '../expression/compile-expression.ts'
import { isTemplateString, parseTemplateString } from '../expression/parse-template-string.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'
import type { Fault } from './fault.ts'

/** Known types of the variables of an expression, as schemas. */
export type KnownTypes = Readonly<Record<string, JsonObject>>

/** The JSON types of the CEL types that are known in advance. A double is left out, because its value may be whole. */
const TYPES: Record<string, string> = {
  string: 'string',
  int: 'integer',
  bool: 'boolean',
  list: 'array',
  map: 'object',
}

const MEMBER = /^\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\["[^"\\]*"\])+\s*$/

/** Returns the JSON type of a bare expression, if its values do not matter. */
export function expressionType(text: string, known: KnownTypes): string | undefined {
  try {
    const { type, references } = compileExpression(text)
    const [{ path: [variable = '', ...members] = [] } = {}] = references
    if (references.length === 1 && MEMBER.test(text)) return declared(known[variable], members)
    return TYPES[type.replace(/<.*/, '')]
  } catch {
    // another check reports its faults
    return undefined
  }
}

function declared(schema: JsonObject | undefined, members: string[]): string | undefined {
  const found = members.reduce<JsonObject | undefined>((at, name) => at && memberOf(at, name), schema)
  return typeof found?.['type'] === 'string' ? found['type'] : undefined
}

function memberOf({ properties, additionalProperties, items }: JsonObject, name: string): JsonObject | undefined {
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  const found = own ?? additionalProperties ?? items
  return isObject(found) ? found : undefined
}

/** The JSON type that a string with expressions is rendered to. */
function renderedType(value: Json | undefined, known: KnownTypes): string | undefined {
  if (typeof value !== 'string' || !isTemplateString(value)) return undefined
  try {
    const [part, ...more] = parseTemplateString(value)
    if (part?.kind !== 'expression' || more.length > 0) return 'string'
    return expressionType(part.expression.text, known)
  } catch {
    return undefined
  }
}

/** Tells whether a value of one type can be one of the other; an unknown type can. */
export function mayBe(type: string | undefined, wanted: string | undefined): boolean {
  if (type === undefined || wanted === undefined || type === wanted) return true
  return (type === 'integer' && wanted === 'number') || (type === 'number' && wanted === 'integer')
}

export function wrongType(run: string) {
  return (name: string, wanted: string, type: string) =>
    `the input ${name} of ${run} has the type ${wanted}, but this has the type ${type}`
}

/** Reports expressions inside of a value whose type is known and does not fit the schema. */
export function typeFaults(
  value: Json,
  { schema, known, path }: { schema: JsonObject; known: KnownTypes; path: Fault['path'] },
  says: (name: string, wanted: string, type: string) => string,
): Fault[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, each]) => {
      const member = memberOf(schema, name)
      const at = [...path, Array.isArray(value) ? Number(name) : name]
      return member === undefined ? [] : typeFaults(each, { schema: member, known, path: at }, says)
    })
  const [type, wanted] = [renderedType(value, known), declared(schema, [])]
  if (type === undefined || wanted === undefined || mayBe(type, wanted)) return []
  return [{ path, message: says(String(path.at(-1)), wanted, type) }]
}
