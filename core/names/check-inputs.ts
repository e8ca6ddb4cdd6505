import type { JsonObject } from '../json/json.ts'
import type { Fault } from '../plan/fault.ts'
import { keysOf } from '../plan/known-errors.ts'
import { inputFaults } from '../plan/validate-inputs.ts'
import { typeFaults, wrongType } from '../plan/value-type.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { ALERT_TYPES } from '../trigger/alert.ts'

/** The target of a rule, a schedule or a skill. */
export interface NamedStart {
  /** `pack/template` */
  run: string
  inputs: JsonObject
  environment?: string | undefined
  profile?: string | undefined
}

/**
 * Checks the inputs of a start against the schema of its target: each is known, fits where it is no expression, and no required one is
 * missing.
 */
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
    ...inputFaults(schema, inputs, [...at, 'inputs']),
    ...typeFaults(inputs, { schema, known: { alert: ALERT_TYPES }, path: [...at, 'inputs'] }, wrongType(run)),
  ]
}
