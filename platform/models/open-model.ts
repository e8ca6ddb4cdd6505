import type { EmbeddingModelV3, LanguageModelV3 } from '@ai-sdk/provider'
import { DomainError } from '#core/errors.ts'
import type { Model } from '#core/models/model.ts'
import { type EndpointSettings, modelEndpoint } from './model-endpoint.ts'
import type { ModelFetch } from './model-fetch.ts'

export interface ModelAccess extends EndpointSettings {
  fetch: ModelFetch
}

/** Models of the AI SDK. Both verbs throw `not_configured`. */
export interface OpenModels {
  /** one that answers */
  chat(model: Model): Promise<LanguageModelV3>
  /** one that makes vectors */
  embedding(model: Model): Promise<EmbeddingModelV3>
}

type Endpoint = ReturnType<typeof modelEndpoint>

/** What a provider of the AI SDK makes of a name. */
interface Provider {
  chat(name: string): LanguageModelV3
  embedding?: (name: string) => EmbeddingModelV3
}

interface Opened {
  endpoint: Endpoint
  provider: Provider
  chat?: LanguageModelV3
  embedding?: EmbeddingModelV3
}

/** Each model is opened once for as long as it stays as it is: making one compiles the schemas of its answers. */
export function createOpenModels(access: ModelAccess): OpenModels {
  const known = new WeakMap<Model, Opened>()

  async function open(model: Model): Promise<Opened> {
    const endpoint = modelEndpoint(model, access)
    const before = known.get(model)
    if (before !== undefined && isSame(before.endpoint, endpoint)) return before
    const opened = { endpoint, provider: await openProvider(model, { ...endpoint, fetch: access.fetch }) }
    known.set(model, opened)
    return opened
  }

  return {
    async chat(model) {
      const opened = await open(model)
      opened.chat ??= opened.provider.chat(model.model)
      return opened.chat
    },

    async embedding(model) {
      const opened = await open(model)
      const { embedding } = opened.provider
      if (embedding === undefined)
        throw new DomainError(
          'not_configured',
          `the provider ${model.provider} of the model ${model.id} makes no vectors`,
        )
      opened.embedding ??= embedding(model.model)
      return opened.embedding
    },
  }
}

function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.baseURL === other.baseURL && one.apiKey === other.apiKey
}

/** Providers are loaded with the first model of theirs. */
async function openProvider(model: Model, access: Endpoint & Pick<ModelAccess, 'fetch'>): Promise<Provider> {
  const { baseURL, apiKey, fetch } = access
  const settings = {
    fetch,
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
