import { DomainError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'
import type { Fault } from './fault.ts'
import { compileSchema } from './json-schema.ts'
import { errorToFault } from './known-errors.ts'

/** Keywords that hold a schema, a list of them, or a mapping to them. */
const ONE = ['items', 'additionalProperties', 'unevaluatedProperties', 'contains', 'not', 'if', 'then', 'else']
const LIST = ['prefixItems', 'allOf', 'anyOf', 'oneOf']
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']

/** Defaults that the schema beside them refuses: anyone who leaves the value out would be told that it is wrong. */
export function defaultFaults(root: JsonObject, path: Fault['path']): Fault[] {
  const shared = Object.fromEntries(Object.entries(root).filter(([key]) => key === '$defs' || key === 'definitions'))
  return visit(root, path)

  function visit(schema: Json | undefined, at: Fault['path']): Fault[] {
    if (!isObject(schema)) return []
    const inner = [
      ...ONE.map((key): [Json | undefined, Fault['path']] => [schema[key], [key]]),
      ...LIST.flatMap((key) =>
        entries(schema[key]).map(([name, each]): [Json, Fault['path']] => [each, [key, Number(name)]]),
      ),
      ...NAMED.flatMap((key) => entries(schema[key]).map(([name, each]): [Json, Fault['path']] => [each, [key, name]])),
    ]
    return [...ownFaults(schema, at), ...inner.flatMap(([each, more]) => visit(each, [...at, ...more]))]
  }

  function ownFaults(schema: JsonObject, at: Fault['path']): Fault[] {
    const { default: value, ...rest } = schema
    if (value === undefined) return []
    const validate = compiled({ ...shared, ...rest })
    if (validate?.(structuredClone(value)) !== false) return []
    return (validate.errors ?? []).slice(0, 1).map((error) => ({
      ...errorToFault(error, [...at, 'default']),
      path: [...at, 'default'],
      key: false,
    }))
  }
}

/** A schema that refers to what stands elsewhere in its document says nothing alone. */
function compiled(schema: JsonObject) {
  try {
    return compileSchema(schema)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}

function entries(value: Json | undefined): [string, Json][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
