import type { LanguageModelV3 } from '@ai-sdk/provider'
import { DomainError } from '#core/errors.ts'
import type { Model } from '#core/models/model.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'
import type { ModelFetch } from './model-fetch.ts'

export interface ModelAccess {
  /** the variables that secret references name */
  env: SecretEnvironment
  /** the endpoint of models that name none: SVC_MODEL_BASE_URL and SVC_MODEL_API_KEY */
  endpoint: { base_url: string | undefined; key: string | undefined }
  fetch: ModelFetch
}

/** A model of the AI SDK. Providers are loaded with the first model of theirs. Throws `not_configured`. */
export async function openModel(model: Model, { env, endpoint, fetch }: ModelAccess): Promise<LanguageModelV3> {
  const ofEndpoint = model.provider === 'openai_compatible' && model.base_url === undefined
  const apiKey = model.key === undefined ? (ofEndpoint ? endpoint.key : undefined) : resolveSecret(model.key, env)
  const baseURL = model.base_url ?? (ofEndpoint ? endpoint.base_url : undefined)
  const settings = { fetch, ...(baseURL !== undefined && { baseURL }) }
  if (model.provider === 'openai_compatible') {
    if (baseURL === undefined)
      throw new DomainError(
        'not_configured',
        `the model ${model.id} has no base_url, and SVC_MODEL_BASE_URL is not set`,
      )
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      ...{ name: 'openai', baseURL, fetch, includeUsage: true },
      supportsStructuredOutputs: model.structured_outputs,
      ...(apiKey !== undefined && { apiKey }),
    })
    return provider.chatModel(model.model)
  }
  // a provider without a key would look for one in variables of its own choice
  if (apiKey === undefined)
    throw new DomainError('not_configured', `the model ${model.id} has no key: add key: env:NAME to it in models.yaml`)
  if (model.provider === 'openai') {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ ...settings, apiKey }).chat(model.model)
  }
  if (model.provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ ...settings, apiKey }).chat(model.model)
  }
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  return createGoogleGenerativeAI({ ...settings, apiKey }).chat(model.model)
}
