import type { JSONSchema7, LanguageModelV3CallOptions, LanguageModelV3ToolChoice } from '@ai-sdk/provider'
import type { JsonObject } from '#core/json.ts'
import type { ChatPrompt, ChatResponseFormat, ChatToolChoice } from '#core/models/chat.ts'
import { toPrompt } from './to-prompt.ts'
import type { ToolArguments } from './tool-arguments.ts'

/** What a provider is asked, in the words of the AI SDK. Throws `validation_failed`. */
export function toCallOptions(prompt: ChatPrompt, args: Pick<ToolArguments, 'hold'>): LanguageModelV3CallOptions {
  return {
    prompt: toPrompt(prompt.messages, args),
    ...given({
      maxOutputTokens: prompt.max_tokens,
      temperature: prompt.temperature,
      topP: prompt.top_p,
      stopSequences: prompt.stop,
      seed: prompt.seed,
      presencePenalty: prompt.presence_penalty,
      frequencyPenalty: prompt.frequency_penalty,
    }),
    ...(prompt.tools !== undefined && {
      tools: prompt.tools.map(({ name, description, parameters, strict }) => ({
        type: 'function' as const,
        name,
        inputSchema: schemaOf(parameters),
        ...given({ description, strict }),
      })),
    }),
    ...(prompt.tool_choice !== undefined && { toolChoice: choiceOf(prompt.tool_choice) }),
    ...(prompt.response_format !== undefined && { responseFormat: formatOf(prompt.response_format) }),
    ...(Object.keys(ofOpenAI(prompt)).length > 0 && { providerOptions: { openai: ofOpenAI(prompt) } }),
  }
}

/** What only its format knows. A schema that uses more than strict ones may is sent as what it is. */
function ofOpenAI({ user, response_format }: ChatPrompt) {
  const isLoose = response_format?.type === 'json_schema' && response_format.strict === false
  return { ...given({ user }), ...(isLoose && { strictJsonSchema: false }) }
}

function choiceOf(choice: ChatToolChoice): LanguageModelV3ToolChoice {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name }
}

function formatOf(format: ChatResponseFormat): NonNullable<LanguageModelV3CallOptions['responseFormat']> {
  if (format.type === 'text') return { type: 'text' }
  if (format.type === 'json_object') return { type: 'json' }
  const { name, schema, description } = format
  return { type: 'json', name, schema: schemaOf(schema), ...given({ description }) }
}

/** Whether it is a JSON Schema is for its provider to say. */
function schemaOf(schema: JsonObject): JSONSchema7 {
  return schema as JSONSchema7
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
}
