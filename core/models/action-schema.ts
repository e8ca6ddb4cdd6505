import { isObject, type JsonObject } from '../json.ts'

/** The member of an answer that names what is to be done. */
const ACTION = 'action'

/** A schema of answers that name one of these actions. */
export function withActions(
  schema: JsonObject | undefined,
  actions: readonly string[] | undefined,
): JsonObject | undefined {
  if (actions === undefined) return schema
  const { properties, required, ...rest } = schema ?? { type: 'object', additionalProperties: false }
  const known = isObject(properties) ? properties : {}
  const own = known[ACTION]
  return {
    ...rest,
    properties: { ...known, [ACTION]: { ...(isObject(own) ? own : {}), type: 'string', enum: [...actions] } },
    required: [...new Set([...(Array.isArray(required) ? required : []), ACTION])],
  }
}

/** Says it of an answer, whatever its schema says. */
export function namesAction(answer: unknown, actions: readonly string[]): boolean {
  if (!isObject(answer) || !Object.hasOwn(answer, ACTION)) return false
  const named = answer[ACTION]
  return typeof named === 'string' && actions.includes(named)
}
