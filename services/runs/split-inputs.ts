import type { JsonObject } from '#core/json.ts'
import { secretPaths } from '#core/secret/secret-paths.ts'
import { type SplitInputs, splitSecrets } from '#core/secret/split-secrets.ts'

const known = new WeakMap<JsonObject, string[]>()

/** Takes the secrets out of inputs, as the schema of their template says which they are. */
export function splitInputs(schema: JsonObject, given: JsonObject): SplitInputs {
  const paths = known.get(schema) ?? secretPaths(schema)
  known.set(schema, paths)
  return splitSecrets(given, paths)
}
