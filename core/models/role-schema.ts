import { z } from 'zod'
import type { ModelRole } from './model.ts'

/** The id of a model, as callers write it. */
export const ModelId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/, 'a name of letters, digits, dots, dashes, slashes and colons')

const Binding = z
  .union([ModelId, z.strictObject({ model: ModelId, fallback: ModelId.optional() })], 'a model, or { model, fallback }')
  .transform((said) => (typeof said === 'string' ? { model: said } : said))

/** Which models the roles are. */
export const RoleBindings = z.strictObject({
  default: Binding.optional(),
  small: Binding.optional(),
  judge: Binding.optional(),
  embed: Binding.optional(),
} satisfies Record<ModelRole, z.ZodType>)
