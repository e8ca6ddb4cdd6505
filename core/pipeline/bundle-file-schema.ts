import { z } from 'zod'
import type { Json, JsonObject } from '../json/json.ts'
import { PACK_TEMPLATE } from '../names/name-schema.ts'
import { nearestDuration } from '../text/did-you-mean.ts'
import { DAY_MS, parseDuration } from '../time/time.ts'
import { MAX_PARALLEL, ON_FAILURE, STEP_GATES } from './types.ts'

/** YAML is read as plain JSON before it gets here; these only name the type. */
const AnyJson = z.unknown() as z.ZodType<Json>
const AnyObject = z.record(z.string(), AnyJson, 'a mapping of names to values') as z.ZodType<JsonObject>

const MAX_STEPS = 200
const MAX_PIPELINES = 50

const A_DURATION = 'a duration such as 90s, 15m, 2h or 7d'

/** A duration in milliseconds: more than nothing (or at least `least`), at most `days` days. */
const duration = (days: number, least = 1) =>
  z.string(A_DURATION).transform((text, ctx) => {
    const ms = parseDuration(text)
    if (ms !== undefined && ms >= least && ms <= days * DAY_MS) return ms
    const quoted = JSON.stringify(text)
    const message =
      ms === undefined
        ? `${quoted} is not ${A_DURATION} (at most ${days}d)${nearestDuration(text)}`
        : `${quoted} is too ${ms < least ? 'short' : 'long'}: at ${ms < least ? 'least 1ms' : `most ${days}d`}`
    ctx.addIssue({ code: 'custom', message })
    return z.NEVER
  })

const oneOf = <const Values extends readonly string[]>(what: string, values: Values) =>
  z.enum(values, { error: (issue) => `unknown ${what} ${JSON.stringify(issue.input)}: takes ${values.join(', ')}` })

const BARE = `bare CEL, in quotes and without \${{ }}`
const Title = z.string('a title: a few words that say what it does').min(1).max(200)
const TemplateRef = z
  .string('a template such as data/dataset-profile')
  .regex(PACK_TEMPLATE, 'a template is written pack/template, such as data/dataset-profile')

const STEP_ID = 'a step id of letters, digits and underscores, not a digit first: expressions name it'
const StepId = z.string(STEP_ID).regex(/^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,63}$/, STEP_ID)

const ForEachSpec = z.strictObject(
  {
    items: z.string(`${BARE}: a list such as steps.list.outputs.tables`),
    parallel: z
      .int(`a whole number from 1 to ${MAX_PARALLEL}`)
      .min(1, `at least 1 run at once`)
      .max(MAX_PARALLEL, `at most ${MAX_PARALLEL} runs of a step at once`)
      .default(1),
  },
  'a mapping with items and parallel, such as { items: "inputs.tables", parallel: 4 }',
)

const TimerSpec = z.union(
  [
    z.string(),
    z.strictObject({ cron: z.string('five fields such as 0 2 * * *'), timezone: z.string().default('UTC') }),
  ],
  'a delay such as 15m, a cron expression such as "0 2 * * *", or { cron, timezone }',
)

/** A step of any kind, as files write it. The combination of its keys is checked once all of them are known. */
const StepSpec = z.strictObject({
  id: StepId,
  title: Title.optional(),
  needs: z.array(StepId, 'a list of step ids, such as [profile]').max(MAX_STEPS).default([]),
  when: z.union([z.string(), z.boolean().transform(String)], BARE).optional(),
  on_failure: oneOf('on_failure', ON_FAILURE).default('fail'),
  timeout: duration(30).optional(),
  uses: TemplateRef.optional(),
  with: AnyObject.optional(),
  gate: oneOf('gate', STEP_GATES).optional(),
  for_each: ForEachSpec.optional(),
  compensate: TemplateRef.optional(),
  schedule: TimerSpec.optional(),
  on: z.string('a topic such as run.succeeded, or a pattern such as pack.data.*').optional(),
  matches: z.string(BARE).optional(),
  look_back: duration(7, 0).optional(),
})
export type StepSpec = z.output<typeof StepSpec>

const PipelineSpec = z.strictObject({
  title: Title,
  description: z.string().max(4_000).optional(),
  max_usd: z
    .number('an amount in US dollars, such as 2.5')
    .min(0.000001, 'must be more than 0: remove it to use the cap of the environment')
    .max(1_000_000)
    .optional(),
  inputs: AnyObject.default({ type: 'object', properties: {} }),
  steps: z
    .array(StepSpec, 'a list of steps')
    .min(1, 'a pipeline needs at least one step')
    .max(MAX_STEPS, `more than ${MAX_STEPS} steps; split the pipeline`),
  outputs: AnyObject.default({}),
})
export type PipelineSpec = z.output<typeof PipelineSpec>

/** `pipeline.yaml` of a bundle. Unknown keys are refused: a key that does nothing is a promise that is not kept. */
export const BundleSpec = z.strictObject({
  apiVersion: z.literal('svc/v1', 'apiVersion must be svc/v1'),
  pipelines: z
    .record(z.string(), PipelineSpec, 'a mapping of names to pipelines')
    .refine((each) => Object.keys(each).length > 0, 'a bundle needs at least one pipeline')
    .refine(
      (each) => Object.keys(each).length <= MAX_PIPELINES,
      `more than ${MAX_PIPELINES} pipelines; split the bundle`,
    ),
})
