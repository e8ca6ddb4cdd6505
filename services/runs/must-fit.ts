import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'

/** The inputs with the defaults of their template's schema. Throws `validation_failed` with every fault. */
export function mustFit(schema: JsonObject, inputs: JsonObject, what = 'template'): JsonObject {
  const { valid, errors, normalized } = validateInputs(schema, inputs)
  if (valid) return normalized
  throw new DomainError('validation_failed', `the inputs do not fit the ${what}`, {
    errors: errors.map((each) => ({ ...each, pointer: `/inputs${each.pointer}`, loc: ['inputs', ...each.loc] })),
  })
}
