import type { JSONSchema7, LanguageModelV3CallOptions, LanguageModelV3ToolChoice } from '@ai-sdk/provider'
import type { JsonObject } from '#core/json/json.ts'
import type { ChatPrompt, ChatResponseFormat, ChatToolChoice } from '#core/models/chat.ts'
import type { Model } from '#core/models/model.ts'
import { refuseUnsupported } from './refuse-param.ts'
import { toPrompt } from './to-prompt.ts'
import type { ToolArguments } from './tool-arguments.ts'

/** Converts a request for a provider of another format to the AI SDK's options. Throws `validation_failed`. */
export function toCallOptions(
  model: Model,
  prompt: ChatPrompt,
  args: Pick<ToolArguments, 'hold'>,
): LanguageModelV3CallOptions {
  refuseUnsupported(model, prompt)
  return {
    prompt: toPrompt(prompt.messages, args),
    ...given({
      maxOutputTokens: prompt.max_tokens,
      temperature: prompt.temperature,
      topP: prompt.top_p,
      stopSequences: typeof prompt.stop === 'string' ? [prompt.stop] : prompt.stop,
      seed: prompt.seed,
      presencePenalty: prompt.presence_penalty,
      frequencyPenalty: prompt.frequency_penalty,
    }),
    ...(prompt.tools !== undefined && {
      tools: prompt.tools.map(({ name, description, parameters, strict }) => ({
        type: 'function' as const,
        name,
        inputSchema: schemaOf(parameters ?? { type: 'object', properties: {} }),
        ...given({ description: description ?? undefined, strict: strict ?? undefined }),
      })),
    }),
    ...(prompt.tool_choice !== undefined && { toolChoice: choiceOf(prompt.tool_choice) }),
    ...(prompt.response_format !== undefined && { responseFormat: formatOf(prompt.response_format) }),
    ...(prompt.user !== undefined && { providerOptions: { anthropic: { metadata: { userId: prompt.user } } } }),
  }
}

function choiceOf(choice: ChatToolChoice): LanguageModelV3ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name }
}

function formatOf(format: ChatResponseFormat): NonNullable<LanguageModelV3CallOptions['responseFormat']> {
  if (format.type === 'text') return { type: 'text' }
  if (format.type === 'json_object') return { type: 'json' }
  const { name, schema, description } = format
  return {
    type: 'json',
    name,
    schema: schemaOf(schema ?? { type: 'object' }),
    ...given({ description: description ?? undefined }),
  }
}

/** The provider validates the JSON Schema. */
function schemaOf(schema: JsonObject): JSONSchema7 {
  return schema as JSONSchema7
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
}
