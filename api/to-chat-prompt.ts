import type { ChatPrompt, ChatResponseFormat } from '#core/models/chat.ts'
import { defined } from './defined.ts'
import type { ChatRequest } from './schemas/chat-request.ts'

/** What a request in the format of OpenAI asks of a model. A setting that is null was not said. */
export function toChatPrompt(request: ChatRequest): ChatPrompt {
  const { model: _model, stream: _stream, stream_options: _options, n: _one, ...asked } = request
  const { messages, max_tokens, max_completion_tokens, tools, tool_choice, response_format, ...settings } = asked
  return defined({
    ...notNull(settings),
    messages,
    max_tokens: max_completion_tokens ?? max_tokens ?? undefined,
    tools: tools?.map(({ function: tool }) => tool),
    tool_choice: typeof tool_choice === 'object' ? tool_choice?.function : tool_choice,
    response_format: response_format == null ? undefined : toFormat(response_format),
  })
}

type NotNull<T> = { [K in keyof T]?: Exclude<T[K], null> }

function notNull<T extends object>(settings: T): NotNull<T> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)) as NotNull<T>
}

function toFormat(format: NonNullable<ChatRequest['response_format']>): ChatResponseFormat {
  return format.type === 'json_schema' ? { type: format.type, ...format.json_schema } : format
}
