import { isObject, type JsonObject, pointerParts } from '../json/json.ts'
import { secretPaths } from '../secret/secret-paths.ts'
import { GOVERNING_NAMES } from './governing-names.ts'

export interface Surface {
  /** JSON Schema of the values: inputs of the template, each on its own, without secret ones */
  schema: JsonObject
  /** JSON Pointers into values that are refused: what governs a run, and secrets */
  protected: string[]
  /** names of inputs that are secret, or contain a secret */
  secret: ReadonlySet<string>
}

/** Returns the inputs of a template that can be filled in before a start, and those that cannot. */
export function surfaceOf(inputs: JsonObject): Surface {
  const paths = secretPaths(inputs)
  const secret = new Set(paths.flatMap((pointer) => pointerParts(pointer).slice(0, 1)))
  const { required: _required, properties, ...rest } = inputs
  const open = isObject(properties)
    ? Object.fromEntries(Object.entries(properties).filter(([name]) => !secret.has(name)))
    : {}
  return {
    schema: {
      type: 'object',
      properties: { inputs: { type: 'object', ...rest, properties: open } },
      additionalProperties: false,
    },
    protected: [...GOVERNING_NAMES.map((name) => `/${name}`), ...paths.map((pointer) => `/inputs${pointer}`)],
    secret,
  }
}
