import { z } from 'zod'
import { Slug } from '../names/name-schema.ts'
import { RuleSpec } from '../trigger/rule-schema.ts'
import { VerifySpec } from './verify-schema.ts'

const Expression = z.string('a CEL expression over body and headers').min(1)
const Expressions = z.record(z.string().min(1).max(200), Expression).default({})

/** Builds an alert from a delivery: one bare CEL expression over `body` and `headers` for each field. */
const Normalize = z.strictObject({
  service: Expression,
  symptom: Expression,
  source: Expression.optional(),
  status: Expression.optional(),
  severity: Expression.optional(),
  external_id: Expression.optional(),
  title: Expression.optional(),
  description: Expression.optional(),
  starts_at: Expression.optional(),
  ends_at: Expression.optional(),
  labels: Expressions,
  annotations: Expressions,
})

/** A signed webhook that a pack receives, as people write it in `pack.yaml`. */
export const IngressSpec = z.strictObject({
  name: Slug,
  title: z.string().min(1).max(200).optional(),
  description: z.string().max(4_000).optional(),
  enabled: z.boolean().default(true),
  verify: VerifySpec,
  /** other deliveries are accepted and start nothing */
  when: Expression.optional(),
  normalize: Normalize,
  rules: z.array(RuleSpec, 'a list of rules').min(1),
})
export type IngressSpec = z.output<typeof IngressSpec>
