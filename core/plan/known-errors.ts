import type { ErrorObject } from 'ajv'
import { isTemplateString } from '../expression/parse-template-string.ts'
import { type Json, type JsonObject, valueAt } from '../json/json.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { Fault } from './fault.ts'
import { instanceLoc, schemaFieldErrors } from './json-schema.ts'

/** Keywords about the shape of a mapping itself, independent of its values. */
const SHAPE_KEYWORDS = new Set([
  'required',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'dependentRequired',
])

/** Returns the errors that hold for any value of the expressions inside `input`. */
export function knownErrors(errors: readonly ErrorObject[], input: JsonObject): ErrorObject[] {
  return errors.filter((error) => {
    const loc = instanceLoc(error)
    if (!isDynamic(valueAt(input, loc)))
      return !isInsideAlternative(error) || !isDynamic(valueAt(input, loc.slice(0, 1)))
    return SHAPE_KEYWORDS.has(error.keyword) && !isInsideAlternative(error) && typeof valueAt(input, loc) === 'object'
  })
}

/** Makes a fault of an error in the value at `path`; `schema` is that of the value, and knows the valid keys. */
export function errorToFault(error: ErrorObject, path: Fault['path'], schema: JsonObject = {}): Fault {
  const [field] = schemaFieldErrors([error])
  const loc = [...path, ...(field?.loc ?? [])]
  const isUnknown = error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties'
  const key = loc.at(-1) ?? 'with'
  const hint = isUnknown && loc.length === path.length + 1 ? didYouMean(String(key), keysOf(schema)) : ''
  return {
    path: loc,
    message: `${key} ${field?.msg ?? 'is invalid'}${hint}`,
    ...(isUnknown && { key: true }),
  }
}

/** The members that a schema names. */
export function keysOf({ properties }: JsonObject): string[] {
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

/** Tells whether a value contains an expression. */
export function isDynamic(value: Json | undefined): boolean {
  if (typeof value === 'string') return isTemplateString(value)
  if (typeof value !== 'object' || value === null) return false
  return (Array.isArray(value) ? value : Object.values(value)).some(isDynamic)
}

/** Inside `anyOf` and the like one branch may fail because another one is meant. */
function isInsideAlternative(error: ErrorObject): boolean {
  return /\/(anyOf|oneOf|not|if|then|else)\b/.test(error.schemaPath)
}
