import type { ValidateFunction } from 'ajv'
import type { FieldError } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { Fault } from './fault.ts'
import { compileSchema, hasManyMembers, schemaFieldErrors } from './json-schema.ts'
import { errorToFault, knownErrors } from './known-errors.ts'

export interface CheckedInputs {
  valid: boolean
  errors: FieldError[]
  /** the inputs with the schema's defaults filled in */
  normalized: JsonObject
}

const validators = new WeakMap<JsonObject, ValidateFunction>()
const firstFault = new WeakMap<JsonObject, ValidateFunction>()

/** Checks a template's inputs against its schema. Inputs that the schema does not name are refused unless it allows them. */
export function validateInputs(schema: JsonObject, inputs: JsonObject): CheckedInputs {
  const validate = hasManyMembers(inputs) ? firstFaultValidator(schema) : inputsValidator(schema)
  const normalized = structuredClone(inputs)
  const valid = validate(normalized)
  return { valid, errors: valid ? [] : schemaFieldErrors(validate.errors), normalized }
}

/** The compiled validator of an inputs schema, once per schema object. Throws `validation_failed` for a broken schema. */
export function inputsValidator(schema: JsonObject): ValidateFunction {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const validate = compileSchema(closed(schema))
  validators.set(schema, validate)
  return validate
}

function firstFaultValidator(schema: JsonObject): ValidateFunction {
  const known = firstFault.get(schema)
  if (known !== undefined) return known
  const validate = compileSchema(closed(schema), { first: true })
  firstFault.set(schema, validate)
  return validate
}

/** `unevaluatedProperties` instead of `additionalProperties`: it also sees what `allOf` and `$ref` declare. */
function closed(schema: JsonObject): JsonObject {
  const isStated = 'additionalProperties' in schema || 'unevaluatedProperties' in schema
  return { type: 'object', ...schema, ...(isStated ? {} : { unevaluatedProperties: false }) }
}

/** Reports the faults of inputs at `path` that hold for any value of their expressions. */
export function inputFaults(schema: JsonObject, inputs: JsonObject, path: Fault['path']): Fault[] {
  const validate = inputsValidator(schema)
  validate(structuredClone(inputs))
  return knownErrors(validate.errors ?? [], inputs)
    .filter(({ instancePath }) => instancePath !== '')
    .map((error) => errorToFault(error, path))
}
