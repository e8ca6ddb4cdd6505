import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { Model } from '#core/models/model.ts'
import { type EndpointSettings, modelEndpoint } from './model-endpoint.ts'
import type { ModelFetch } from './model-fetch.ts'

export interface ModelAccess extends EndpointSettings {
  fetch: ModelFetch
}

/** A model of the AI SDK. Providers are loaded with the first model of theirs. Throws `not_configured`. */
export async function openModel(model: Model, access: ModelAccess): Promise<LanguageModelV3> {
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
    return provider.chatModel(model.model)
  }
  if (model.provider === 'openai') {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI(settings).chat(model.model)
  }
  if (model.provider === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(settings).chat(model.model)
  }
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
  return createGoogleGenerativeAI(settings).chat(model.model)
}
