import type { JsonObject } from '../json/json.ts'
import type { Fault } from './fault.ts'
import { errorToFault, knownErrors } from './known-errors.ts'
import { inputsValidator } from './validate-inputs.ts'

/** What is wrong inside of inputs that stand at `path`, no matter what their expressions turn out to be. */
export function inputFaults(schema: JsonObject, inputs: JsonObject, path: Fault['path']): Fault[] {
  const validate = inputsValidator(schema)
  validate(structuredClone(inputs))
  return knownErrors(validate.errors ?? [], inputs)
    .filter(({ instancePath }) => instancePath !== '')
    .map((error) => errorToFault(error, path))
}
