import { DomainError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'
import type { Fault } from './fault.ts'
import { compileSchema } from './json-schema.ts'
import { errorToFault } from './known-errors.ts'
import { innerSchemas } from './schema-bounds.ts'

/** Defaults that the schema beside them refuses: anyone who leaves the value out would be told that it is wrong. */
export function defaultFaults(root: JsonObject, path: Fault['path']): Fault[] {
  const shared = Object.fromEntries(Object.entries(root).filter(([key]) => key === '$defs' || key === 'definitions'))
  return visit(root, path)

  function visit(schema: Json | undefined, at: Fault['path']): Fault[] {
    if (!isObject(schema)) return []
    const inner = innerSchemas(schema).flatMap(({ schema: each, path }) => visit(each, [...at, ...path]))
    return [...ownFaults(schema, at), ...inner]
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
