import { DomainError } from '#core/errors.ts'
import { shownAddress } from '#core/models/data-text.ts'
import type { Model, ModelEndpoint, ModelProvider } from '#core/models/model.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'

export interface EndpointSettings {
  /** the variables that secret references name */
  env: SecretEnvironment
  /** the endpoint of models that name none: SVC_MODEL_BASE_URL and SVC_MODEL_API_KEY */
  endpoint: { base_url: string | undefined; key: string | undefined }
}

/** Endpoints of providers for models without a base_url; their packages would read variables of their own choice. */
const USUAL_URL: Record<Exclude<ModelProvider, 'openai_compatible'>, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
}

/** Returns the endpoint of a model, and its key. Throws `not_configured`. */
export function modelEndpoint(model: Model, { env, endpoint }: EndpointSettings): ModelEndpoint {
  const usual = isAtUsual(model)
  const key = model.key === undefined ? (usual ? endpoint.key : undefined) : resolveSecret(model.key, env)
  const named_url = model.base_url ?? (usual ? endpoint.base_url : undefined)
  const base_url = named_url ?? (model.provider === 'openai_compatible' ? undefined : USUAL_URL[model.provider])
  if (base_url === undefined)
    throw new DomainError('not_configured', `the model ${model.id} has no base_url, and SVC_MODEL_BASE_URL is not set`)
  // a provider package without a key would read one from variables of its own choice
  if (model.provider !== 'openai_compatible' && key === undefined)
    throw new DomainError('not_configured', `the model ${model.id} has no key: add key: env:NAME to it in models.yaml`)
  return { base_url, key }
}

/** The same for people: without the key, and without secret parts of the url. */
export interface EndpointShown {
  base_url?: string
  key?: { reference: string; resolves: boolean }
  /** why the model cannot be called */
  problem?: string
}

export function showEndpoint(model: Model, settings: EndpointSettings): EndpointShown {
  const usual = isAtUsual(model)
  const url = model.base_url ?? (usual ? settings.endpoint.base_url : undefined)
  const reference = model.key ?? (usual && settings.endpoint.key !== undefined ? 'env:SVC_MODEL_API_KEY' : undefined)
  const problem = problemOf(() => modelEndpoint(model, settings))
  const resolves =
    model.key === undefined || problemOf(() => resolveSecret(model.key ?? '', settings.env)) === undefined
  return {
    ...(url !== undefined && { base_url: shownAddress(url) }),
    ...(reference !== undefined && { key: { reference, resolves } }),
    ...(problem !== undefined && { problem }),
  }
}

function isAtUsual({ provider, base_url }: Model): boolean {
  return provider === 'openai_compatible' && base_url === undefined
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}
