import type { EmbeddingModelV3, LanguageModelV3 } from '@ai-sdk/provider'
import { DomainError } from '#core/errors.ts'
import type { Model } from '#core/models/model.ts'
import { type EndpointSettings, modelEndpoint } from './model-endpoint.ts'
import type { ModelFetch } from './model-fetch.ts'

export interface ModelAccess extends EndpointSettings {
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
async function openProvider(model: Model, access: ModelAccess): Promise<Provider> {
  const { baseURL, apiKey } = modelEndpoint(model, access)
  const settings = {
    fetch: access.fetch,
    ...(baseURL !== undefined && { baseURL }),
    ...(apiKey !== undefined && { apiKey }),
  }
  if (model.provider === 'openai_compatible') {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      ...{ name: 'openai', baseURL: baseURL ?? '', includeUsage: true },
      ...settings,
      supportsStructuredOutputs: model.structured_outputs,
    })
    return { chat: (name) => provider.chatModel(name), embedding: (name) => provider.embeddingModel(name) }
  }
  if (model.provider === 'openai') {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const provider = createOpenAI(settings)
    return { chat: (name) => provider.chat(name), embedding: (name) => provider.embeddingModel(name) }
  }
  if (model.provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const provider = createAnthropic(settings)
    return { chat: (name) => provider.chat(name) }
  }
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  const provider = createGoogleGenerativeAI(settings)
  return { chat: (name) => provider.chat(name), embedding: (name) => provider.embeddingModel(name) }
}
