import type { FieldError } from '../errors.ts'
import { type JsonObject, jsonPointer } from '../json/json.ts'
import { validateInputs } from '../plan/validate-inputs.ts'

/** What is wrong with the inputs of a preset that are there; those that are missing may come with the start. */
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
