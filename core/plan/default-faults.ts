import type { ValidateFunction } from 'ajv'
import { DomainError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'
import type { Fault } from './fault.ts'
import { compileSchema } from './json-schema.ts'
import { errorToFault } from './known-errors.ts'
import { innerSchemas } from './schema-bounds.ts'

/** Finds the defaults that the schema beside them refuses: a caller who leaves the value out would be told that it is wrong. */
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
    if (validate === undefined) return []
    const place = { path: [...at, 'default'], key: false }
    if (!canValidate(validate, structuredClone(value)))
      return [{ ...place, message: 'default fills itself in without end: its schema refers to itself' }]
    return (validate.errors ?? []).slice(0, 1).map((error) => ({ ...errorToFault(error, place.path), ...place }))
  }
}

/** Validates a value; false where a default brings in another default, and so on. */
function canValidate(validate: ValidateFunction, value: Json): boolean {
  try {
    validate(value)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns undefined for a schema with references into other parts of its document: it cannot be compiled alone. */
function compiled(schema: JsonObject) {
  try {
    return compileSchema(schema)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
}
