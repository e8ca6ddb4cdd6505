import { z } from 'zod'
import { EFFECTS, NOTE_RULES, RISKS } from './types.ts'

/** Values compare exactly, in Unicode normal form C. */
const Text = z.string().normalize('NFC').min(1)

/** A key without a value (`channels:`) means the same as an empty list. */
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? [])

const oneOf = <const Values extends readonly string[]>(what: string, values: Values) =>
  z.enum(values, { error: (issue) => `unknown ${what} ${JSON.stringify(issue.input)}: takes ${values.join(', ')}` })

/** The scope of a policy: lists of allowed values, AND-ed; an empty one filters nothing. */
export const PolicyScope = z.strictObject({
  environments: listOf(Text),
  risks: listOf(oneOf('risk', RISKS)),
  action_types: listOf(Text),
  capabilities: listOf(Text),
})
export type PolicyScope = z.output<typeof PolicyScope>

/** The scope of a policy that names none. */
export const EVERYWHERE: PolicyScope = { environments: [], risks: [], action_types: [], capabilities: [] }

/** A missing or empty `applies_to` applies everywhere. */
export const AppliesTo = PolicyScope.nullish().transform((scope) => scope ?? EVERYWHERE)

export const PolicyRule = z.strictObject({
  effect: oneOf('effect', EFFECTS),
  reason: z.string().default(''),
  channels: listOf(Text),
  approval_role: Text.optional(),
  require_note: oneOf('note rule', NOTE_RULES).optional(),
  prevent_self: z.literal(true, { error: 'takes true: a rule turns it on, and never off' }).optional(),
  min_approvals: z.int().min(1).max(100).optional(),
})
export type PolicyRule = z.output<typeof PolicyRule>

/** A policy document (spec section 2). Unknown keys are refused: a typo must not loosen. */
export const PolicyDocument = z.strictObject({
  apiVersion: z.literal('svc/v1').optional(),
  name: Text,
  description: z.string().optional(),
  applies_to: AppliesTo,
  rules: z.array(PolicyRule).min(1, 'a policy needs at least one rule'),
})

/** Known keys, by the key of the document that contains them. */
export const POLICY_KEYS: Record<string, readonly string[]> = {
  '': Object.keys(PolicyDocument.shape),
  applies_to: Object.keys(PolicyScope.shape),
  rules: Object.keys(PolicyRule.shape),
}
