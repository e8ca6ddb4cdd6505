import { DomainError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'
import type { Fault } from './fault.ts'
import { compileSchema, instanceLoc } from './json-schema.ts'
import { errorToFault } from './known-errors.ts'
import { innerSchemas } from './schema-bounds.ts'

interface Default {
  at: (string | number)[]
  value: Json
  schema: JsonObject
}

/**
 * Finds the defaults that the schema beside them refuses: a caller who leaves the value out would be told that it is wrong. They
 * are compiled as further properties of their document, so that what they refer to is compiled once.
 */
export function defaultFaults(root: JsonObject, path: Fault['path']): Fault[] {
  const defaults = new Map(findDefaults(root, []).map((found, index) => [`default ${index}`, found]))
  if (defaults.size === 0) return []
  const properties = Object.fromEntries([...defaults].map(([key, { schema }]) => [key, schema]))
  const errors = errorsOf(
    { ...root, properties: { ...(isObject(root['properties']) && root['properties']), ...properties } },
    Object.fromEntries([...defaults].map(([key, { value }]) => [key, structuredClone(value)])),
  )
  return [...defaults].flatMap(([key, { at }]) => {
    const place = [...path, ...at, 'default']
    const error = errors.find((each) => instanceLoc(each)[0] === key)
    if (error === undefined) return []
    const own = { ...error, instancePath: error.instancePath.slice(key.length + 1) }
    return [{ ...errorToFault(own, place), path: place, key: false }]
  })
}

function findDefaults(schema: Json | undefined, at: Default['at']): Default[] {
  if (!isObject(schema)) return []
  const { default: value, ...rest } = schema
  return [
    ...(value === undefined ? [] : [{ at, value, schema: rest }]),
    ...innerSchemas(schema).flatMap(({ schema: inner, path }) => findDefaults(inner, [...at, ...path])),
  ]
}

/** A schema that cannot be compiled is a fault of its own. */
function errorsOf(schema: JsonObject, value: JsonObject) {
  try {
    const validate = compileSchema(schema)
    return validate(value) ? [] : (validate.errors ?? [])
  } catch (error) {
    if (error instanceof DomainError) return []
    throw error
  }
}
