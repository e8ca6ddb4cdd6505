import { DomainError } from '#core/errors.ts'
import { jsonPointer } from '#core/json/json.ts'
import type { ChatMessage, ChatPrompt } from '#core/models/chat.ts'
import type { Model } from '#core/models/model.ts'

/** Parameters without a field in the other formats, or one that the AI SDK does not write, with their neutral values. */
const NO_FIELD: Partial<Record<keyof ChatPrompt, readonly unknown[]>> = {
  logit_bias: [],
  logprobs: [false],
  top_logprobs: [],
  parallel_tool_calls: [true],
  reasoning_effort: [],
  verbosity: [],
  modalities: [],
  service_tier: ['auto', 'default'],
  store: [false],
  metadata: [],
  safety_identifier: [],
  prompt_cache_key: [],
  prompt_cache_retention: [],
}

/** Parameters by the names of the AI SDK, which drops some of them for some models, with a warning. */
const SETTINGS: Record<string, string> = {
  temperature: 'temperature',
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
  stopSequences: 'stop',
  responseFormat: 'response_format',
}

/** Refuses by name a parameter that a provider of another format would not get. Throws `validation_failed`. */
export function refuseUnsupported(model: Model, prompt: ChatPrompt): void {
  if (prompt.user !== undefined && model.provider !== 'anthropic') throw unsupported(model, ['user'])
  for (const [name, harmless] of Object.entries(NO_FIELD)) {
    const value = prompt[name as keyof ChatPrompt]
    const asksForText = name === 'modalities' && Array.isArray(value) && value.every((each) => each === 'text')
    if (value !== undefined && !harmless.includes(value) && !asksForText) throw unsupported(model, [name])
  }
  for (const [index, message] of prompt.messages.entries()) refuseIn(model, message, ['messages', index])
}

function refuseIn(model: Model, message: ChatMessage, at: (string | number)[]): void {
  if ('name' in message && message.name !== undefined) throw unsupported(model, [...at, 'name'])
  if (message.role === 'assistant' && message.refusal) throw unsupported(model, [...at, 'refusal'])
  if (!Array.isArray(message.content)) return
  for (const [index, part] of message.content.entries()) {
    const place = [...at, 'content', index]
    if (part.type === 'refusal') throw unsupported(model, place)
    if (part.type === 'file' && part.file.file_data === undefined)
      throw unsupported(model, [...place, 'file', 'file_id'])
    if (part.type === 'image_url' && part.image_url.detail && part.image_url.detail !== 'auto')
      throw unsupported(model, [...place, 'image_url', 'detail'])
  }
}

/** Refuses a parameter that the AI SDK reports as dropped. */
export function refuseWarned(
  model: Model,
  warnings: readonly { type: string; feature?: string; details?: string | undefined }[],
): void {
  for (const { type, feature = '', details } of warnings) {
    const name = type === 'unsupported' ? SETTINGS[feature] : undefined
    if (name !== undefined) throw unsupported(model, [name], details)
  }
}

function unsupported({ id, provider }: Model, loc: (string | number)[], why?: string): DomainError {
  const pointer = jsonPointer(loc)
  const msg = `the model ${id} (${provider}) does not support this${why === undefined ? '' : `: ${why}`}`
  return new DomainError('validation_failed', `body ${pointer}: ${msg}`, {
    errors: [{ pointer, loc: ['body', ...loc], msg, type: 'unsupported' }],
  })
}
