import { DomainError } from '#core/errors.ts'
import type { Model } from '#core/models/model.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'

export interface EndpointSettings {
  /** the variables that secret references name */
  env: SecretEnvironment
  /** the endpoint of models that name none: SVC_MODEL_BASE_URL and SVC_MODEL_API_KEY */
  endpoint: { base_url: string | undefined; key: string | undefined }
}

/** Where a model is asked, and with which key. Throws `not_configured`. */
export function modelEndpoint(
  model: Model,
  { env, endpoint }: EndpointSettings,
): { baseURL: string | undefined; apiKey: string | undefined } {
  const usual = isAtUsual(model)
  const apiKey = model.key === undefined ? (usual ? endpoint.key : undefined) : resolveSecret(model.key, env)
  const baseURL = model.base_url ?? (usual ? endpoint.base_url : undefined)
  if (model.provider === 'openai_compatible' && baseURL === undefined)
    throw new DomainError('not_configured', `the model ${model.id} has no base_url, and SVC_MODEL_BASE_URL is not set`)
  // a provider without a key would look for one in variables of its own choice
  if (model.provider !== 'openai_compatible' && apiKey === undefined)
    throw new DomainError('not_configured', `the model ${model.id} has no key: add key: env:NAME to it in models.yaml`)
  return { baseURL, apiKey }
}

/** The same for people: without the key, and without what a url may hide. */
export interface EndpointShown {
  base_url?: string
  key?: { reference: string; resolves: boolean }
  /** why the model cannot be asked */
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
    ...(url !== undefined && { base_url: withoutSecrets(url) }),
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

function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return ''
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}
