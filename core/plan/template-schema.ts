import { z } from 'zod'
import type { Json, JsonObject } from '../json/json.ts'
import { Slug } from '../names/name-schema.ts'
import { RISKS } from '../policy/types.ts'
import { nearestDuration } from '../text/did-you-mean.ts'
import { DAY_MS, parseDuration } from '../time/time.ts'

/** YAML is read as plain JSON before it gets here; these only name the type. */
const AnyJson = z.unknown() as z.ZodType<Json>
const AnyObject = z.record(z.string(), AnyJson, 'a mapping of names to values') as z.ZodType<JsonObject>

/** A duration such as `250ms`, `30s` or `5m`, at most a day, in milliseconds. */
export const DurationMs = z.string('a duration such as 250ms, 30s, 5m or 2h').transform((text, ctx) => {
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0 && ms <= DAY_MS) return ms
  ctx.addIssue({
    code: 'custom',
    message: `${JSON.stringify(text)} is not a duration such as 250ms, 30s, 5m or 2h (at most 24h)${nearestDuration(text)}`,
  })
  return z.NEVER
})

const oneOf = <const Values extends readonly string[]>(what: string, values: Values) =>
  z.enum(values, { error: (issue) => `unknown ${what} ${JSON.stringify(issue.input)}: takes ${values.join(', ')}` })

const Label = z.string().min(1).max(200)

const RetrySpec = z.strictObject({
  max_attempts: z.int().min(1).max(100).default(3),
  initial: DurationMs.default(1_000),
  backoff: z.number().min(1).max(10).default(2),
  max: DurationMs.default(30_000),
})

/** A step as people write it. Expressions in `with` are checked by the compiler. */
export const StepSpec = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'a step id of letters, digits and underscores: expressions name it'),
  name: Label.optional(),
  operator: z.string('the id of an operator such as http.request'),
  with: AnyObject.default({}),
  when: z.union([z.string(), z.boolean().transform(String)], `a CEL condition without \${{ }}`).optional(),
  requires_approval: z.boolean().default(false),
  action_type: Label.optional(),
  timeout: DurationMs.default(60_000),
  retry: RetrySpec.default({ max_attempts: 3, initial: 1_000, backoff: 2, max: 30_000 }),
})
export type StepSpec = z.output<typeof StepSpec>

/** A template file. Unknown keys are refused: a key that does nothing is a promise that is not kept. */
export const TemplateSpec = z.strictObject({
  apiVersion: z.literal('svc/v1', 'apiVersion must be svc/v1'),
  id: Slug,
  title: Label,
  description: z.string().max(4_000).optional(),
  risk: oneOf('risk', RISKS),
  action_types: z.array(Label).default([]),
  inputs: AnyObject.default({ type: 'object', properties: {} }),
  outputs: AnyObject.default({}),
  steps: z
    .array(StepSpec)
    .min(1, 'a template needs at least one step')
    .max(200, 'more than 200 steps; split the template'),
  metrics: AnyJson.optional(),
  eval: z.string().optional(),
})
export type TemplateSpec = z.output<typeof TemplateSpec>
