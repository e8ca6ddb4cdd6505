import type { ChatPrompt, ChatResponseFormat, ChatTool } from '#core/models/chat.ts'
import { defined } from './defined.ts'
import type { ChatRequest } from './schemas/chat-request.ts'

/** What a request in the format of OpenAI asks of a model. */
export function toChatPrompt(request: ChatRequest): ChatPrompt {
  const { messages, tool_choice: choice, stop, tools, response_format: format } = request
  return defined({
    messages,
    max_tokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    temperature: request.temperature ?? undefined,
    top_p: request.top_p ?? undefined,
    presence_penalty: request.presence_penalty ?? undefined,
    frequency_penalty: request.frequency_penalty ?? undefined,
    seed: request.seed ?? undefined,
    user: request.user ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    // an empty list is none
    tools: tools?.length ? tools.map(toTool) : undefined,
    tool_choice: typeof choice === 'object' && choice !== null ? { name: choice.function.name } : (choice ?? undefined),
    response_format: format == null ? undefined : toFormat(format),
  })
}

function toTool({ function: said }: NonNullable<ChatRequest['tools']>[number]): ChatTool {
  return {
    name: said.name,
    parameters: said.parameters ?? { type: 'object', properties: {} },
    description: said.description ?? undefined,
    strict: said.strict ?? undefined,
  }
}

function toFormat(format: NonNullable<ChatRequest['response_format']>): ChatResponseFormat {
  if (format.type !== 'json_schema') return format
  const { name, schema, description } = format.json_schema
  return { type: 'json_schema', name, schema: schema ?? { type: 'object' }, description: description ?? undefined }
}
