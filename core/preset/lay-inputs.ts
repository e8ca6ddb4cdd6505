import type { JsonObject } from '../json.ts'

/** Later layers over earlier ones: one input replaces another whole. */
export function layInputs(...layers: readonly (JsonObject | undefined)[]): JsonObject {
  return Object.fromEntries(layers.flatMap((layer) => Object.entries(layer ?? {})))
}
