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
    ...inputFaults(schema, inputs, [...at, 'inputs']),
    ...typeFaults(inputs, { schema, known: { alert: ALERT_TYPES }, path: [...at, 'inputs'] }, wrongType(run)),
  ]
}
