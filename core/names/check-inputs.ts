import type { ErrorObject } from 'ajv'
import { didYouMean } from '../did-you-mean.ts'
import type { JsonObject } from '../json.ts'
import type { Fault } from '../plan/fault.ts'
import { errorToFault, keysOf, knownErrors } from '../plan/known-errors.ts'
import { inputsValidator } from '../plan/validate-inputs.ts'
import type { NamedStart } from './check-start-names.ts'

/** The inputs that a start gives, against the schema of what it starts: each is known, fits where it is no expression, and none that is needed is left out. */
export function checkInputs(
  { run, inputs }: Pick<NamedStart, 'run' | 'inputs'>,
  schema: JsonObject,
  at: Fault['path'],
): Fault[] {
  const known = keysOf(schema)
  const isOpen = [
    'additionalProperties',
    'unevaluatedProperties',
    '$ref',
    'allOf',
    'anyOf',
    'oneOf',
    'patternProperties',
  ].some((key) => key in schema)
  const { required } = schema
  return [
    ...(isOpen ? [] : Object.keys(inputs))
      .filter((name) => !known.includes(name))
      .map((name) => ({
        path: [...at, 'inputs', name],
        message: `${run} has no input ${name}${didYouMean(name, known)}`,
        key: true,
      })),
    ...(Array.isArray(required) ? required.map(String) : [])
      .filter((name) => !Object.hasOwn(inputs, name))
      .map((name) => ({ path: [...at, 'inputs'], message: `${run} needs the input ${name}` })),
    ...misfits(inputs, schema).map((error) => errorToFault(error, [...at, 'inputs'])),
  ]
}

/** What is wrong inside of the inputs that are given, whatever their expressions turn out to be. */
function misfits(inputs: JsonObject, schema: JsonObject): ErrorObject[] {
  const validate = inputsValidator(schema)
  validate(structuredClone(inputs))
  return knownErrors(validate.errors ?? [], inputs).filter(({ instancePath }) => instancePath !== '')
}
