import { z } from 'zod'
import type { Json, JsonObject } from '../json/json.ts'
import { PackTemplate } from '../names/name-schema.ts'
import { DurationMs } from '../plan/template-schema.ts'
import { SEVERITIES } from './alert.ts'

const Glob = z.string().min(1).max(200)
const Label = z.string().min(1).max(200)

/** Conditions on an alert: every given field must match; `*` is any text, `?` one character. */
const RuleMatch = z.strictObject({
  source: Glob.optional(),
  service: Glob.optional(),
  symptom: z.union([Glob, z.array(Glob).min(1)], 'a glob or a list of globs').optional(),
  severity: z.array(z.enum(SEVERITIES, `takes ${SEVERITIES.join(', ')}`)).default([]),
  labels: z.record(z.string(), Glob).default({}),
  when: z.string('a CEL condition over alert').optional(),
})

/** A trigger rule, as files write it. */
export const RuleSpec = z.strictObject({
  name: Label,
  description: z.string().max(4_000).optional(),
  on: z.enum(['alert', 'pattern', 'ingress'], 'takes alert, pattern or ingress'),
  match: RuleMatch.default({ severity: [], labels: {} }),
  run: PackTemplate,
  inputs: z.record(z.string(), z.unknown() as z.ZodType<Json>).default({}) as z.ZodType<JsonObject, unknown>,
  environment: Label.optional(),
  profile: Label.optional(),
  on_resolved: z.enum(['record', 'withdraw', 'cancel'], 'takes record, withdraw or cancel').default('record'),
  limits: z
    .strictObject({
      max_runs: z.strictObject({ count: z.int().min(1), per: DurationMs }).optional(),
      cooldown: DurationMs.optional(),
    })
    .default({}),
})
export type RuleSpec = z.output<typeof RuleSpec>

/** A rule file: a list of rules. */
export const RuleFile = z.array(RuleSpec, 'a list of rules')
