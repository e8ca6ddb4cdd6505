import { z } from 'zod'
import type { ModelRole } from './model.ts'

/** The id of a model, as callers write it. */
export const ModelId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/, 'a name of letters, digits, dots, dashes, slashes and colons')

const Binding = z
  .union([ModelId, z.strictObject({ model: ModelId, fallback: ModelId.optional() })], 'a model, or { model, fallback }')
  .transform((said) => (typeof said === 'string' ? { model: said } : said))

/** The same of every role, or nothing. */
export function ofRoles<Schema extends z.ZodType>(schema: Schema) {
  const each = schema.optional()
  return { default: each, small: each, judge: each, embed: each } satisfies Record<ModelRole, z.ZodType>
}

/** Which models the roles are. */
export const RoleBindings = z.strictObject(ofRoles(Binding))
