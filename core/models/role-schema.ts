import { z } from 'zod'
import { isObject, type JsonObject } from '../json/json.ts'
import type { ModelRole } from './model.ts'

/** The member of an answer that names the action. */
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

/** Tells whether an answer names one of the actions, whatever its schema allows. */
export function namesAction(answer: unknown, actions: readonly string[]): boolean {
  if (!isObject(answer) || !Object.hasOwn(answer, ACTION)) return false
  const named = answer[ACTION]
  return typeof named === 'string' && actions.includes(named)
}

/** The id of a model, as callers write it. */
export const ModelId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/, 'a name of letters, digits, dots, dashes, slashes and colons')

const Binding = z
  .union([ModelId, z.strictObject({ model: ModelId, fallback: ModelId.optional() })], 'a model, or { model, fallback }')
  .transform((binding) => (typeof binding === 'string' ? { model: binding } : binding))

/** The same of every role, or nothing. */
export function ofRoles<Schema extends z.ZodType>(schema: Schema) {
  const each = schema.optional()
  return { default: each, small: each, judge: each, embed: each } satisfies Record<ModelRole, z.ZodType>
}

/** Bindings of roles to models. */
export const RoleBindings = z.strictObject(ofRoles(Binding))
