import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ChatPrompt } from '#core/models/chat.ts'
import { type Model, speaksOpenAi } from '#core/models/model.ts'
import type { RequestBody } from './measured-fetch.ts'
import { openAiBody } from './openai-body.ts'
import { toCallOptions } from './to-call-options.ts'
import { createToolArguments } from './tool-arguments.ts'

/** The call of the AI SDK, and the rewriting of the body that it makes. */
export interface Asked {
  options: LanguageModelV3CallOptions
  body: RequestBody
}

const NOTHING: LanguageModelV3CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: '' }] }],
  includeRawChunks: true,
}

/** Builds the request: in the format of OpenAI it is the caller's; the AI SDK writes other formats. Throws `validation_failed`. */
export function modelRequest(model: Model, given: ChatPrompt, stream: boolean): Asked {
  const prompt = withoutDropped(model, given)
  if (speaksOpenAi(model)) return { options: NOTHING, body: { fill: () => openAiBody(model, prompt, stream) } }
  const body = createToolArguments()
  return { options: toCallOptions(model, prompt, body), body }
}

/** Drops parameters that the model does not support, by `models.yaml`. */
function withoutDropped({ drop_params = [] }: Model, prompt: ChatPrompt): ChatPrompt {
  if (drop_params.length === 0) return prompt
  const kept = Object.entries(prompt).filter(([name]) => !drop_params.some((dropped) => dropped === name))
  return { ...Object.fromEntries(kept), messages: prompt.messages }
}
