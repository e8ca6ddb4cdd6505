import { z } from 'zod'
import { LIMIT_FIELDS, MODEL_PROVIDERS, MODEL_ROLES } from './model.ts'

const Usd = z.number().min(0)

/** Prices of a million tokens. */
export const ModelPricesShown = z
  .object({
    input_usd: Usd,
    output_usd: Usd,
    cached_input_usd: Usd.optional().meta({ description: 'For input that the provider had cached, where it differs' }),
    cache_write_usd: Usd.optional().meta({ description: 'For input that the provider caches, where it differs' }),
  })
  .meta({
    id: 'ModelPrices',
    description: 'US dollars for a million tokens',
    example: { input_usd: 0.15, output_usd: 0.6 },
  })
export type ModelPricesShown = z.output<typeof ModelPricesShown>

const ModelLimitsShown = z
  .object({ context: z.int().meta({ example: 128_000 }), output: z.int().meta({ example: 16_384 }) })
  .meta({ id: 'ModelLimits', description: 'Tokens: of a prompt with its answer, and of an answer' })

/** The model to probe: an id of `models.yaml`, which may contain slashes. */
export const ModelProbeRequest = z.strictObject({ model: z.string().min(1).max(200).meta({ example: 'gpt-4o-mini' }) })

/** The result of a minimal call of a model. */
export const ModelProbe = z
  .object({
    model: z.string().meta({ example: 'gpt-4o-mini' }),
    ok: z.boolean(),
    latency_ms: z.int().min(0),
    cost_usd: z.number().optional().meta({ description: 'Absent if it could not be recorded' }),
    limit_field: z
      .enum(LIMIT_FIELDS)
      .optional()
      .meta({ description: 'What `limit_field` has to be in `models.yaml`, where the model refused the other one' }),
    failed: z
      .object({ code: z.string().meta({ example: 'not_configured' }), message: z.string() })
      .optional()
      .meta({ description: 'What failed, in a sentence' }),
    by: z.string().meta({ example: 'usr_local' }),
    at: z.iso.datetime(),
  })
  .meta({ id: 'ModelProbe', description: 'A minimal call of a model, and its result' })
export type ModelProbe = z.output<typeof ModelProbe>

/** A model of `models.yaml`, as people administer it. */
export const RegisteredModel = z
  .object({
    id: z.string().meta({ description: 'What callers name', example: 'gpt-4o-mini' }),
    provider: z.enum(MODEL_PROVIDERS),
    provider_model: z.string().meta({ description: 'Its name at the provider' }),
    base_url: z.string().optional().meta({
      description: "Without a user or a query; absent where it is the provider's own",
      example: 'http://127.0.0.1:9191/v1',
    }),
    key: z
      .object({
        reference: z.string().meta({ description: 'Where it is, never itself', example: 'env:OPENAI_API_KEY' }),
        resolves: z.boolean(),
      })
      .optional()
      .meta({ description: 'Absent where the model has none' }),
    prices: ModelPricesShown.optional(),
    limits: ModelLimitsShown.optional(),
    timeout_ms: z.int(),
    callable: z.boolean(),
    why_not: z.string().optional().meta({ description: 'Why it is never called' }),
    roles: z
      .array(z.object({ role: z.enum(MODEL_ROLES), as: z.enum(['model', 'fallback']) }))
      .meta({ description: 'Roles that it has; a profile may say otherwise for its runs' }),
    last_probe: ModelProbe.optional().meta({ description: 'The last one in this workspace' }),
  })
  .meta({ id: 'RegisteredModel', description: 'A model of `models.yaml`, and whether it can be called' })
export type RegisteredModel = z.output<typeof RegisteredModel>

/** Models that are known, to add one of. */
export const ModelCatalog = z
  .object({
    read_at: z.iso.date().meta({ description: 'When the prices were read' }),
    source: z.string(),
    note: z.string(),
    models: z.array(
      z.object({
        id: z.string().meta({ example: 'gpt-4o-mini' }),
        provider: z.enum(MODEL_PROVIDERS),
        prices: ModelPricesShown,
        limits: ModelLimitsShown,
        tiered: z.boolean().meta({ description: 'Long prompts cost more; the prices are the highest' }),
        bound: z.boolean().meta({ description: 'A model of `models.yaml` is this one' }),
        command: z.string().meta({ description: 'What adds it' }),
      }),
    ),
  })
  .meta({ id: 'ModelCatalog', description: 'Models that are known, with prices as they were on one day' })
export type ModelCatalog = z.output<typeof ModelCatalog>
