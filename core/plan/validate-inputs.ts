import type { ValidateFunction } from 'ajv'
import type { FieldError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import { compileSchema, schemaFieldErrors } from './json-schema.ts'

export interface CheckedInputs {
  valid: boolean
  errors: FieldError[]
  /** the inputs with the schema's defaults filled in */
  normalized: JsonObject
}

const validators = new WeakMap<JsonObject, ValidateFunction>()

/** Checks a template's inputs against its schema. Inputs that the schema does not name are refused unless it says otherwise. */
export function validateInputs(schema: JsonObject, inputs: JsonObject): CheckedInputs {
  const validate = inputsValidator(schema)
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

/** `unevaluatedProperties` instead of `additionalProperties`: it also sees what `allOf` and `$ref` declare. */
function closed(schema: JsonObject): JsonObject {
  const isStated = 'additionalProperties' in schema || 'unevaluatedProperties' in schema
  return { type: 'object', ...schema, ...(isStated ? {} : { unevaluatedProperties: false }) }
}
