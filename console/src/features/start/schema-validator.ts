import { type Schema, Validator } from '@cfworker/json-schema'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'
import type { Inputs } from './api.ts'

function fits(schema: RJSFSchema | boolean, data: unknown): boolean {
  try {
    return new Validator(schema as Schema, '2020-12').validate(data).valid
  } catch {
    // such as a pattern that browsers do not know: the server has the last word anyway
    return false
  }
}

/**
 * By this the form tells which alternative of a schema is meant. It interprets schemas, because the policy of the page lets nothing
 * generate code. What is wrong with inputs is said by the server alone, in its words.
 */
export const schemaValidator: ValidatorType<Inputs> = {
  isValid: (schema, data, root) =>
    fits(typeof schema === 'boolean' ? schema : { $defs: root['$defs'], ...schema }, data),
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({}),
}
