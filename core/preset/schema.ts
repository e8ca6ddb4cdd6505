import { z } from 'zod'
import type { JsonObject } from '../json/json.ts'
import { Slug } from '../names/name-schema.ts'
import { visibleLine } from '../text/visible-text.ts'
import { WorkspaceId } from '../workspace/schema.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })
const Pack = Slug.meta({ example: 'sre' })
const Template = Slug.meta({ example: 'service-recovery' })

export const PresetId = z
  .string()
  .regex(/^pre_[0-9a-z]{26}$/)
  .meta({ description: 'Identifier of a preset', example: 'pre_01hzy3v9k5m8q2w4x6z8b0d2f4' })

const NAME_RULE = 'a name of at most 100 visible characters that does not begin with pre_'
// control characters, and those that turn the direction of text
// biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them
const VISIBLE = /^(?!pre_)(?=.*\S)[^\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/
const PresetName = z
  .string()
  .normalize()
  .max(100)
  .regex(VISIBLE, NAME_RULE)
  .refine((name) => visibleLine(name) === name, NAME_RULE)
  .meta({ description: 'Unique among those of its kind and template', example: 'careful' })

/** Governing values and unknown ones are distinguished where values are checked. */
const Values = z
  .record(z.string(), z.unknown())
  .meta({
    description:
      '`inputs`: some of the template’s inputs, by name. Secrets, and what governs runs, are refused with 403 `governance_knob`. At most 64 KiB',
    example: { inputs: { action: 'restart' } },
  })
  .transform((values) => values as JsonObject)

const fields = {
  values: z.object({ inputs: z.record(z.string(), z.unknown()) }).meta({ example: { inputs: { action: 'restart' } } }),
  version: z.int().min(0).meta({ description: 'Counts the changes of its values; 0: none were ever set' }),
  digest: z.string().meta({ description: 'Of the values; runs that began with them have it on record' }),
  problems: z.array(z.object({ pointer: z.string(), msg: z.string() })).meta({
    description:
      'Values that no longer fit the template: starts with it are refused. Values that have become secret are named and not shown',
  }),
  etag: z.string().meta({ description: 'For `If-Match`' }),
}

export const WorkflowConfig = z
  .object({
    pack: Pack,
    template: Template,
    surface: z
      .record(z.string(), z.unknown())
      .meta({ description: 'JSON Schema of what can be set; none of it is required' }),
    protected: z
      .array(z.string())
      .meta({ description: 'JSON Pointers into `values` that are refused: what governs runs, and secrets' }),
    ...fields,
    author: z.string().optional(),
    updated_at: Time.optional(),
  })
  .meta({
    id: 'WorkflowConfig',
    description: 'What every start of a template in the workspace begins with: inputs that the start does not name.',
  })
export type WorkflowConfig = z.infer<typeof WorkflowConfig>

export const WorkflowConfigEdit = z.strictObject({ values: Values }).meta({
  id: 'WorkflowConfigEdit',
  description: 'The values that take the place of what was set.',
  example: { values: { inputs: { action: 'restart' } } },
})

export const Preset = z
  .object({
    id: PresetId,
    workspace_id: WorkspaceId,
    kind: z.enum(['config', 'input']).meta({
      description:
        '`config`: a start names it and the server fills it in. `input`: a form loads it; starts know nothing of it',
    }),
    pack: Pack,
    template: Template,
    name: z.string(),
    is_default: z
      .boolean()
      .meta({ description: 'Taken where none is named: by starts (`config`), by the form (`input`)' }),
    ...fields,
    author: z.string().meta({ description: 'Who changed it last' }),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'Preset', description: 'Inputs of a template that are kept under a name.' })
export type Preset = z.infer<typeof Preset>

export const PresetDraft = z.strictObject({ pack: Pack, template: Template, name: PresetName, values: Values }).meta({
  id: 'PresetDraft',
  description: 'A preset as it is made.',
  example: { pack: 'sre', template: 'service-recovery', name: 'careful', values: { inputs: { action: 'restart' } } },
})
export type PresetDraft = z.output<typeof PresetDraft>

export const PresetEdit = z
  .strictObject({
    name: PresetName.optional(),
    values: Values.optional(),
    is_default: z
      .literal(false)
      .optional()
      .meta({ description: 'No longer the default; `POST …/default` makes it one' }),
  })
  .meta({
    id: 'PresetEdit',
    description: 'What changes: the name, the values, or that it is the default.',
    example: { name: 'careful' },
  })
export type PresetEdit = z.output<typeof PresetEdit>

export const PresetQuery = z.object({
  pack: z.string().min(1).max(64).optional(),
  template: z.string().min(1).max(64).optional(),
})
