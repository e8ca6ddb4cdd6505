import type { EmbeddingModelV3, LanguageModelV3 } from '@ai-sdk/provider'
import { DomainError } from '#core/errors.ts'
import {
  type Model,
  type ModelEndpoint,
  type PricedModel,
  type ReachableModel,
  speaksOpenAi,
} from '#core/models/model.ts'
import type { ModelFetch } from './measured-fetch.ts'
import { type EndpointSettings, modelEndpoint } from './model-endpoint.ts'

export interface ModelAccess extends EndpointSettings {
  fetch: ModelFetch
}

/** Models of the AI SDK. */
export interface OpenModels {
  /** the model with its current endpoint; the same object while neither changes */
  reach(model: PricedModel): ReachableModel
  /** a model for answers. Throws `not_configured` */
  chat(model: ReachableModel): Promise<LanguageModelV3>
  /** a model for embeddings. Throws `not_configured` */
  embedding(model: ReachableModel): Promise<EmbeddingModelV3>
}

/** The models of an AI SDK provider, by name. */
interface Provider {
  chat(name: string): LanguageModelV3
  embedding?: (name: string) => EmbeddingModelV3
}

interface Opened {
  provider: Provider
  chat?: LanguageModelV3
  embedding?: EmbeddingModelV3
}

/** Opens each model once while it does not change: opening compiles the schemas of its answers. */
export function createOpenModels(access: ModelAccess): OpenModels {
  const reached = new WeakMap<PricedModel, ReachableModel>()
  const known = new WeakMap<ReachableModel, Opened>()

  async function open(model: ReachableModel): Promise<Opened> {
    const before = known.get(model)
    if (before !== undefined) return before
    const opened = { provider: await openProvider(model, access.fetch) }
    known.set(model, opened)
    return opened
  }

  return {
    reach(model) {
      const endpoint = endpointOf(model, access)
      const before = reached.get(model)
      if (before !== undefined && isSame(before.endpoint, endpoint)) return before
      const found = { ...model, endpoint }
      reached.set(model, found)
      return found
    },

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

function endpointOf(model: Model, access: EndpointSettings): ReachableModel['endpoint'] {
  try {
    return modelEndpoint(model, access)
  } catch (error) {
    if (error instanceof DomainError) return { problem: error }
    throw error
  }
}

function isSame(one: ReachableModel['endpoint'], other: ReachableModel['endpoint']): boolean {
  if ('problem' in one || 'problem' in other) return false
  return one.base_url === other.base_url && one.key === other.key
}

/** Throws `not_configured`. */
function mustBeKnown({ endpoint }: ReachableModel): ModelEndpoint {
  if ('problem' in endpoint) throw endpoint.problem
  return endpoint
}

/** Providers are loaded with the first model of theirs. */
async function openProvider(model: ReachableModel, fetch: ModelFetch): Promise<Provider> {
  const { base_url, key } = mustBeKnown(model)
  const settings = { fetch, baseURL: base_url, ...(key !== undefined && { apiKey: key }) }
  if (speaksOpenAi(model)) {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({ name: 'openai', ...settings })
    return { chat: (name) => provider.chatModel(name), embedding: (name) => provider.embeddingModel(name) }
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
