import { z } from 'zod'
import type { Json, JsonObject } from '#core/json/json.ts'
import { ModelId, withActions } from '#core/models/role-schema.ts'
import type { StepQuestion } from '#core/models/step-prompt.ts'
import { JsonRecord, JsonValue } from '../field-schema.ts'

const MAX_DATA_BYTES = 256 * 1024
const MAX_SCHEMA_BYTES = 32 * 1024

/** What may be asked: `embed` answers nothing. */
const ROLES = ['default', 'small', 'judge'] as const

const within = (most: number) => (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '') <= most

/** As a template writes it. */
export const Written = z
  .strictObject({
    role: z
      .enum(ROLES)
      .exactOptional()
      .describe('Which model: a role of the profile or of models.yaml; default: default'),
    model: ModelId.exactOptional().describe('Id of a model, in the place of a role'),
    prompt: z
      .string()
      .min(1)
      .max(64 * 1024)
      .describe(
        'The question: Liquid over inputs, steps, run, trigger and data, or the name of a .liquid file; every value that it prints is marked as data',
      ),
    data: JsonRecord.exactOptional()
      .refine(within(MAX_DATA_BYTES), `larger than ${MAX_DATA_BYTES} bytes`)
      .describe('What the question is about; stands behind it as data. At most 256 kB'),
    schema: JsonRecord.exactOptional()
      .refine(within(MAX_SCHEMA_BYTES), `larger than ${MAX_SCHEMA_BYTES} bytes`)
      .describe('JSON Schema (2020-12) that the answer has to fit; without one it is text'),
    actions: z
      .array(z.string().regex(/^[A-Za-z0-9][\w.:/-]{0,99}$/, 'a name of letters, digits and _ . : / -'))
      .min(1)
      .max(50)
      .refine((names) => new Set(names).size === names.length, 'an action twice')
      .exactOptional()
      .describe('What the answer may name, as its member action, and nothing else'),
    without_model: JsonValue.exactOptional().describe(
      'What is answered in its place while no model is bound, or none can be reached; it has to fit as an answer does',
    ),
    max_tokens: z
      .int()
      .min(1)
      .max(1_000_000)
      .exactOptional()
      .describe('Longest answer, in tokens; less of it reserves less money. Default: what the model can say'),
    temperature: z.number().min(0).max(2).exactOptional(),
    scope: JsonRecord.exactOptional().describe('Set by the engine'),
  })
  .refine(({ role, model }) => role === undefined || model === undefined, {
    path: ['model'],
    message: 'either a role or a model',
  })

/** As it is done: the prompt is rendered, and the answer's schema knows the actions. */
export interface LlmGenerateInput extends JsonObject {
  model: string
  prompt: string
  data?: JsonObject
  schema?: JsonObject
  actions?: string[]
  without_model?: Json
  max_tokens?: number
  temperature?: number
}

/** The question with the schema that its answer has to fit. */
export function questionOf({ prompt, data, schema, actions, max_tokens, temperature }: LlmGenerateInput): StepQuestion {
  return { prompt, data, schema: withActions(schema, actions), max_tokens, temperature }
}
