import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ChatPrompt } from '#core/models/chat.ts'
import { type Model, speaksOpenAi } from '#core/models/model.ts'
import type { RequestBody } from './measured-fetch.ts'
import { openAiBody } from './openai-body.ts'
import { toCallOptions } from './to-call-options.ts'
import { createToolArguments } from './tool-arguments.ts'

/** What the AI SDK is asked, and what becomes of the body that it writes. */
export interface Asked {
  options: LanguageModelV3CallOptions
  body: RequestBody
}

const NOTHING: LanguageModelV3CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: '' }] }],
  includeRawChunks: true,
}

/** In the format of OpenAI a request is what the caller said; other formats are the AI SDK's to write. Throws `validation_failed`. */
export function modelRequest(model: Model, given: ChatPrompt, stream: boolean): Asked {
  const prompt = withoutDropped(model, given)
  if (speaksOpenAi(model)) return { options: NOTHING, body: { fill: () => openAiBody(model, prompt, stream) } }
  const body = createToolArguments()
  return { options: toCallOptions(model, prompt, body), body }
}

/** What `models.yaml` says that the model does not take. */
function withoutDropped({ drop_params = [] }: Model, prompt: ChatPrompt): ChatPrompt {
  if (drop_params.length === 0) return prompt
  const kept = Object.entries(prompt).filter(([name]) => !drop_params.some((dropped) => dropped === name))
  return { ...Object.fromEntries(kept), messages: prompt.messages }
}
