import type { FieldError } from '../errors.ts'
import { isObject, type JsonObject, jsonPointer } from '../json/json.ts'
import { validateInputs } from '../plan/validate-inputs.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { isGoverning } from './governing-names.ts'
import { surfaceOf } from './surface.ts'

export interface CheckedValues {
  inputs: JsonObject
  /** values that would govern, or are secret */
  governing: FieldError[]
  faults: FieldError[]
}

/** Returns the inputs as given, the values that govern or are secret, and the faults of those that do not fit the schema. */
export function checkPresetValues(schema: JsonObject, values: JsonObject): CheckedValues {
  const { inputs, ...others } = values
  const named = Object.keys(others)
  const governing = named
    .filter(isGoverning)
    .map((name) => presetFault([name], 'governs runs, and is no value', 'governance_knob'))
  const faults = named
    .filter((name) => !isGoverning(name))
    .map((name) => presetFault([name], `is not known here${didYouMean(name, ['inputs'])}`, 'unrecognized_keys'))
  if (inputs === undefined || !isObject(inputs)) {
    if (inputs !== undefined) faults.push(presetFault(['inputs'], 'must be an object', 'type'))
    return { inputs: {}, governing, faults }
  }
  const { secret } = surfaceOf(schema)
  for (const name of Object.keys(inputs))
    if (secret.has(name))
      governing.push(presetFault(['inputs', name], 'holds a secret, and is kept nowhere', 'secret_input'))
  return { inputs, governing, faults: [...faults, ...presetFaults(schema, inputs)] }
}

/** Reports faults of the given inputs of a preset; a start may supply the missing ones. */
export function presetFaults(schema: JsonObject, inputs: JsonObject): FieldError[] {
  return validateInputs(schema, inputs)
    .errors.filter(({ loc: [name] }) => typeof name === 'string' && Object.hasOwn(inputs, name))
    .map(({ loc, msg, type }) => presetFault(['inputs', ...loc], msg, type))
}

export function presetFault(loc: (string | number)[], msg: string, type: string): FieldError {
  return { pointer: jsonPointer(loc), loc, msg, type }
}

/** Later layers over earlier ones: one input replaces another whole. */
export function layInputs(...layers: readonly (JsonObject | undefined)[]): JsonObject {
  return Object.fromEntries(layers.flatMap((layer) => Object.entries(layer ?? {})))
}
