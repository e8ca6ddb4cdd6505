import { z } from '@hono/zod-openapi'
import { Slug } from '#core/names/name-schema.ts'
import { PipelineId } from '#core/pipeline/schema.ts'
import { MAX_ITEMS } from '#core/pipeline/types.ts'
import { PresetId } from '#core/preset/schema.ts'
import { RunId } from '#core/run/schema.ts'
import { WorkspaceId } from '#core/workspace/schema.ts'

export const PresetParams = z.object({ id: PresetId })

/** Twice what values may take as their canonical text. */
export const MAX_PRESET_BYTES = 131_072

export const WorkspaceParams = z.object({ id: WorkspaceId })

/** The version that the record must still have. */
export const IfMatch = z.object({
  'if-match': z
    .string()
    .regex(/^(\*|"[\x21\x23-\x7e]*"(, *"[\x21\x23-\x7e]*")*)$/, 'must be `*` or entity tags in quotes')
    .max(200)
    .optional()
    .meta({ description: 'Entity tag of the record as the caller knows it (RFC 9110)', example: '"3"' }),
})

export const ETAG = {
  ETag: { description: 'Changes with the record; for `If-Match`', schema: { type: 'string' } },
} as const

/** Of a policy, a rule, an environment or a profile. */
export const AuthoredParams = z.object({ name: z.string().min(1).max(100).meta({ example: 'night-guard' }) })

export const LOCATION = { Location: { description: 'Its address', schema: { type: 'string' } } } as const

export const TOTAL = {
  'X-Total-Count': { description: 'How many there are', schema: { type: 'integer' } },
} as const

export const GateParams = z.object({
  id: z
    .string()
    .regex(/^gate_[0-9a-z]{26}$/)
    .meta({ description: 'Identifier of a gate', example: 'gate_01hzy3v9k5m8q2w4x6z8b0d2f5' }),
})

export const RunParams = z.object({ id: RunId })

export const StepParams = z.object({
  id: RunId,
  step: z.string().min(1).max(200).meta({ description: 'Id of a step in the plan', example: 'evidence' }),
})

export const TemplateParams = z.object({
  pack: Slug.meta({ example: 'sre' }),
  tpl: Slug.meta({ example: 'service-recovery' }),
})

/** A whole number in a query: digits and nothing else, within its bounds. */
export function wholeNumber(
  bounds: { min: number; max: number },
  documented: { default?: number; description?: string } = {},
) {
  const words =
    bounds.max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number from ${bounds.min} on`
      : `must be a whole number from ${bounds.min} to ${bounds.max}`
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
    z
      .int(words)
      .min(bounds.min, words)
      .max(bounds.max, words)
      .openapi({ type: 'integer', minimum: bounds.min, maximum: bounds.max, ...documented }),
  )
}

/** The size of a page. */
export function pageSize(most: number, usual: number) {
  return wholeNumber({ min: 1, max: most }, { default: usual, description: 'Items at most' }).default(usual)
}

const AFTER_SEQ = { description: 'Only what comes after this number', default: 0 }

/** Position in the event log after which to continue. */
export const AfterSeq = wholeNumber({ min: 0, max: Number.MAX_SAFE_INTEGER }, AFTER_SEQ)

/** A place in the list of a `for_each`. */
export const Entry = wholeNumber(
  { min: 0, max: MAX_ITEMS - 1 },
  { default: 0, description: 'Which entry of each `for_each`, from 0' },
)

/** An environment and a profile. */
export const PlaceQuery = z.object({
  environment: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Default: the workspace’s default environment' }),
})

export const PipelineParams = z.object({ id: PipelineId })

export const PipelineStepParams = z.object({
  id: PipelineId,
  step: z.string().min(1).max(200).meta({ description: 'Id of a step of the pipeline', example: 'publish' }),
})
