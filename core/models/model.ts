import type { DomainError } from '../errors.ts'
import type { MicroUsd } from '../money.ts'
import type { PolicySubject } from '../policy/types.ts'
import { didYouMean } from '../text/did-you-mean.ts'

/** Uses of models; a profile, or `models.yaml`, binds each to a model. */
export const MODEL_ROLES = ['default', 'small', 'judge', 'embed'] as const
export type ModelRole = (typeof MODEL_ROLES)[number]

export const MODEL_PROVIDERS = ['openai_compatible', 'openai', 'anthropic', 'google'] as const
export type ModelProvider = (typeof MODEL_PROVIDERS)[number]

export const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const
export type LimitField = (typeof LIMIT_FIELDS)[number]

/** Parameters that callers may send and a deployment may drop. */
export const DROPPABLE_PARAMS = [
  ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed', 'stop', 'user', 'metadata', 'store'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'parallel_tool_calls', 'reasoning_effort', 'verbosity', 'modalities'],
  ...['service_tier', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'],
] as const
export type DroppableParam = (typeof DROPPABLE_PARAMS)[number]

/** Micro-dollars per million tokens. Without a price of their own, cached tokens cost as others. */
export interface ModelPrices {
  input: MicroUsd
  output: MicroUsd
  cached_input?: MicroUsd | undefined
  cache_write?: MicroUsd | undefined
}

/** A model as a deployment binds it. Without prices and limits it has no worst case, so that it is never called. */
export interface Model {
  /** the name that callers use */
  id: string
  provider: ModelProvider
  /** its name at the provider */
  model: string
  base_url?: string | undefined
  /** the file of its key */
  key?: string | undefined
  prices?: ModelPrices | undefined
  limits?: { context: number; output: number } | undefined
  /** longest silence of the provider; any byte ends it */
  timeout_ms: number
  structured_outputs: boolean
  /** name of the parameter that limits its answer */
  limit_field?: LimitField | undefined
  /** parameters that it does not support, and is not sent */
  drop_params?: DroppableParam[] | undefined
}

/** A model with all that its worst case follows from. */
export interface PricedModel extends Model {
  prices: ModelPrices
  limits: NonNullable<Model['limits']>
}

/** The endpoint of a model, and its key. */
export interface ModelEndpoint {
  base_url: string
  key?: string | undefined
}

/** A model with its endpoint, which was read once: the step shows and hashes the endpoint that its calls use. */
export interface ReachableModel extends PricedModel {
  endpoint: ModelEndpoint | { problem: DomainError }
}

/** The model of a role, and its fallback. */
export interface RoleBinding {
  model: string
  fallback?: string | undefined
}

export type ModelRoles = { [Role in ModelRole]?: RoleBinding | undefined }

/** Tells whether the provider takes requests in the format of OpenAI, unchanged. */
export function speaksOpenAi({ provider }: Pick<Model, 'provider'>): boolean {
  return provider === 'openai_compatible' || provider === 'openai'
}

/** OpenAI supports `max_completion_tokens` for every model; compatible servers often know the older name only. */
export function limitFieldOf({ limit_field, provider }: Pick<Model, 'limit_field' | 'provider'>): LimitField {
  return limit_field ?? (provider === 'openai' ? 'max_completion_tokens' : 'max_tokens')
}

export function isModelRole(name: string): name is ModelRole {
  return MODEL_ROLES.some((role) => role === name)
}

export function isPriced(model: Model): model is PricedModel {
  return model.prices !== undefined && model.limits !== undefined
}

/** A model and its fallback, as a name resolves to them. */
interface ResolvedModel {
  model: Model
  fallback?: Model
  role?: ModelRole
}

/** Resolves a role by the profile, else by the deployment; any other name is a model's. Undefined where there is none. */
export function resolveModel(
  name: string,
  bound: { models: readonly Model[]; roles: ModelRoles },
  ofProfile: ModelRoles = {},
): ResolvedModel | undefined {
  const find = (id: string | undefined) => bound.models.find((each) => each.id === id)
  if (!isModelRole(name)) {
    const model = find(name)
    return model && { model }
  }
  const binding = ofProfile[name] ?? bound.roles[name]
  const model = find(binding?.model)
  const fallback = find(binding?.fallback)
  return model && { model, role: name, ...(fallback !== undefined && fallback.id !== model.id && { fallback }) }
}

/** The message where a model is needed and none is bound. */
export const NO_MODEL =
  'No model is bound: add one with `svc models add`, or name a models.yaml with SVC_MODELS_FILE; `svc dev model-server` serves scripted ones for trying.'

/** Returns the message for a name that is no bound model. */
export function noSuchModel(name: string, ids: readonly string[]): string {
  return `there is no model ${name}${didYouMean(name, ids)}`
}

/** Returns why a model is never called; undefined where it may be. */
export function whyNeverCalled(model: Model): string | undefined {
  if (isPriced(model)) return undefined
  const missing = [...(model.prices ? [] : ['prices']), ...(model.limits ? [] : ['limits'])].join(' and no ')
  return `it has no ${missing} in models.yaml, so that no cap would hold`
}

/** The action type of a model call in policies and profiles. */
export const MODEL_ACTION = 'llm.generate'
export const MODEL_CAPABILITY = 'model.chat'

export function modelCallSubject(environment: { name: string; class: string }): PolicySubject {
  return {
    environment: environment.name,
    environment_class: environment.class,
    risk: 'low',
    action_types: [MODEL_ACTION],
    capabilities: [MODEL_CAPABILITY],
  }
}
