import type { EmbeddingModelV3, LanguageModelV3 } from '@ai-sdk/provider'
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

/** What a provider of the AI SDK makes of a name. */
interface Provider {
  chat(name: string): LanguageModelV3
  embedding?: (name: string) => EmbeddingModelV3
}

/** A model of the AI SDK that answers. Throws `not_configured`. */
export async function openModel(model: Model, access: ModelAccess): Promise<LanguageModelV3> {
  return (await openProvider(model, access)).chat(model.model)
}

/** A model of the AI SDK that makes vectors. Throws `not_configured`. */
export async function openEmbedding(model: Model, access: ModelAccess): Promise<EmbeddingModelV3> {
  const { embedding } = await openProvider(model, access)
  if (embedding === undefined)
    throw new DomainError('not_configured', `the provider ${model.provider} of the model ${model.id} makes no vectors`)
  return embedding(model.model)
}

/** Providers are loaded with the first model of theirs. */
async function openProvider(model: Model, { env, endpoint, fetch }: ModelAccess): Promise<Provider> {
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
    return { chat: (name) => provider.chatModel(name), embedding: (name) => provider.embeddingModel(name) }
  }
  // a provider without a key would look for one in variables of its own choice
  if (apiKey === undefined)
    throw new DomainError('not_configured', `the model ${model.id} has no key: add key: env:NAME to it in models.yaml`)
  if (model.provider === 'openai') {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const provider = createOpenAI({ ...settings, apiKey })
    return { chat: (name) => provider.chat(name), embedding: (name) => provider.embeddingModel(name) }
  }
  if (model.provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const provider = createAnthropic({ ...settings, apiKey })
    return { chat: (name) => provider.chat(name) }
  }
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  const provider = createGoogleGenerativeAI({ ...settings, apiKey })
  return { chat: (name) => provider.chat(name), embedding: (name) => provider.embeddingModel(name) }
}
