import { z } from 'zod'
import { DurationMs } from '../plan/template-schema.ts'
import {
  DROPPABLE_PARAMS,
  isModelRole,
  LIMIT_FIELDS,
  MODEL_PROVIDERS,
  type Model,
  type ModelRoles,
  noSuchModel,
  speaksOpenAi,
} from './model.ts'
import { ModelId, RoleBindings } from './role-schema.ts'

const USUAL_TIMEOUT_MS = 120_000
const Price = z.int('whole micro-dollars per million tokens').min(0).max(10_000_000_000)
const Tokens = z.int().min(1).max(100_000_000)
const SecretReference = z
  .string()
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'a secret reference: env:NAME or file:path, never the secret itself')

const ModelEntry = z
  .strictObject({
    id: ModelId.refine((id) => !isModelRole(id), 'is the name of a role'),
    provider: z.enum(MODEL_PROVIDERS, `takes ${MODEL_PROVIDERS.join(', ')}`),
    model: z.string().min(1).max(200).optional(),
    base_url: z.url({ protocol: /^https?$/, error: 'an http or https url' }).optional(),
    key: SecretReference.optional(),
    prices: z
      .strictObject({ input: Price, output: Price, cached_input: Price.optional(), cache_write: Price.optional() })
      .optional(),
    limits: z.strictObject({ context: Tokens, output: Tokens }).optional(),
    timeout: DurationMs.default(USUAL_TIMEOUT_MS),
    structured_outputs: z.boolean().default(true),
    limit_field: z.enum(LIMIT_FIELDS, `takes ${LIMIT_FIELDS.join(' or ')}`).exactOptional(),
    drop_params: z
      .array(z.enum(DROPPABLE_PARAMS, `takes ${DROPPABLE_PARAMS.join(', ')}`))
      .max(DROPPABLE_PARAMS.length)
      .exactOptional(),
  })
  .refine((model) => model.limit_field === undefined || speaksOpenAi(model), {
    path: ['limit_field'],
    error: 'is for providers that speak the format of OpenAI',
  })
  .transform(({ timeout, model, ...rest }): Model => ({ ...rest, model: model ?? rest.id, timeout_ms: timeout }))

/** `models.yaml`: the models of a deployment, their prices, and which of them the roles are. */
export const ModelsFile = z
  .strictObject({
    apiVersion: z.literal('svc/v1').optional(),
    models: z.array(ModelEntry).max(500).default([]),
    roles: RoleBindings.default({}),
  })
  .superRefine(({ models, roles }, ctx) => {
    const ids = models.map(({ id }) => id)
    for (const [index, id] of ids.entries())
      if (ids.indexOf(id) !== index)
        ctx.addIssue({ code: 'custom', path: ['models', index, 'id'], message: `a second model ${id}` })
    for (const [role, binding] of Object.entries(roles))
      for (const name of [binding?.model, binding?.fallback])
        if (name !== undefined && !ids.includes(name))
          ctx.addIssue({ code: 'custom', path: ['roles', role], message: noSuchModel(name, ids) })
  })
export interface ModelsFile {
  models: Model[]
  roles: ModelRoles
}
