import type { DomainError } from '../errors.ts'
import type { MicroUsd } from '../money.ts'
import type { PolicySubject } from '../policy/types.ts'
import { didYouMean } from '../text/did-you-mean.ts'

/** What models are asked for; a profile, or `models.yaml`, says which model that is. */
export const MODEL_ROLES = ['default', 'small', 'judge', 'embed'] as const
export type ModelRole = (typeof MODEL_ROLES)[number]

export const MODEL_PROVIDERS = ['openai_compatible', 'openai', 'anthropic', 'google'] as const
export type ModelProvider = (typeof MODEL_PROVIDERS)[number]

export const LIMIT_FIELDS = ['max_tokens', 'max_completion_tokens'] as const
export type LimitField = (typeof LIMIT_FIELDS)[number]

/** What a caller may say and a deployment may leave out. */
export const DROPPABLE_PARAMS = [
  ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed', 'stop', 'user', 'metadata', 'store'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'parallel_tool_calls', 'reasoning_effort', 'verbosity', 'modalities'],
  ...['service_tier', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'],
] as const
export type DroppableParam = (typeof DROPPABLE_PARAMS)[number]

/** Micro-dollars per million tokens. Tokens that a cache has kept cost as others where nothing is said of them. */
export interface ModelPrices {
  input: MicroUsd
  output: MicroUsd
  cached_input?: MicroUsd | undefined
  cache_write?: MicroUsd | undefined
}

/** A model as a deployment binds it. Without prices and limits it has no worst case, so that it is never called. */
export interface Model {
  /** what callers name */
  id: string
  provider: ModelProvider
  /** its name at the provider */
  model: string
  base_url?: string | undefined
  /** where its key is */
  key?: string | undefined
  prices?: ModelPrices | undefined
  limits?: { context: number; output: number } | undefined
  /** longest silence of the provider; any byte ends it */
  timeout_ms: number
  structured_outputs: boolean
  /** the field in which it is told how much it may answer */
  limit_field?: LimitField | undefined
  /** what it does not take, and is not sent */
  drop_params?: DroppableParam[] | undefined
}

/** A model with all that its worst case follows from. */
export interface PricedModel extends Model {
  prices: ModelPrices
  limits: NonNullable<Model['limits']>
}

/** Where a model is asked, and with which key. */
export interface ModelEndpoint {
  base_url: string
  key?: string | undefined
}

/** A model with its endpoint, which was read once: what a step shows and hashes is what its calls use. */
export interface ReachableModel extends PricedModel {
  endpoint: ModelEndpoint | { problem: DomainError }
}

/** Which model a role is, and which one takes its place while it fails. */
export interface RoleBinding {
  model: string
  fallback?: string | undefined
}

export type ModelRoles = { [Role in ModelRole]?: RoleBinding | undefined }

/** Whether its provider takes requests in the format of OpenAI, as callers write them. */
export function speaksOpenAi({ provider }: Pick<Model, 'provider'>): boolean {
  return provider === 'openai_compatible' || provider === 'openai'
}

/** OpenAI knows `max_completion_tokens` for every model; what is compatible with it often knows the older name alone. */
export function limitFieldOf({ limit_field, provider }: Pick<Model, 'limit_field' | 'provider'>): LimitField {
  return limit_field ?? (provider === 'openai' ? 'max_completion_tokens' : 'max_tokens')
}

export function isModelRole(name: string): name is ModelRole {
  return MODEL_ROLES.some((role) => role === name)
}

export function isPriced(model: Model): model is PricedModel {
  return model.prices !== undefined && model.limits !== undefined
}

/** Which models a name stands for: the one to ask, and the one that takes its place while that one fails. */
interface ResolvedModel {
  model: Model
  fallback?: Model
  role?: ModelRole
}

/** A role is what the profile says, else what the deployment says; any other name is that of a model. Undefined where there is none. */
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

/** What everything says that needs a model where none is bound. */
export const NO_MODEL =
  'No model is bound: add one with `svc models add`, or name a models.yaml with SVC_MODELS_FILE; `svc dev model-server` serves scripted ones for trying.'

/** Said of a name that none of the bound models has. */
export function noSuchModel(name: string, ids: readonly string[]): string {
  return `there is no model ${name}${didYouMean(name, ids)}`
}

/** Why a model is never called, no matter who asks for it; undefined where it may be. */
export function whyNeverCalled(model: Model): string | undefined {
  if (isPriced(model)) return undefined
  const missing = [...(model.prices ? [] : ['prices']), ...(model.limits ? [] : ['limits'])].join(' and no ')
  return `it has no ${missing} in models.yaml, so that no cap would hold`
}

/** What a call of a model is to policies, profiles and people. */
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
