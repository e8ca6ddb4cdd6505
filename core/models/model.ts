import type { DomainError } from '../errors.ts'
import type { MicroUsd } from '../money.ts'

/** What models are asked for; a profile, or `models.yaml`, says which model that is. */
export const MODEL_ROLES = ['default', 'small', 'judge', 'embed'] as const
export type ModelRole = (typeof MODEL_ROLES)[number]

export const MODEL_PROVIDERS = ['openai_compatible', 'openai', 'anthropic', 'google'] as const
export type ModelProvider = (typeof MODEL_PROVIDERS)[number]

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
  /** longest wait for an answer, or for the next piece of a streamed one */
  timeout_ms: number
  structured_outputs: boolean
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

export function isModelRole(name: string): name is ModelRole {
  return MODEL_ROLES.some((role) => role === name)
}

export function isPriced(model: Model): model is PricedModel {
  return model.prices !== undefined && model.limits !== undefined
}
