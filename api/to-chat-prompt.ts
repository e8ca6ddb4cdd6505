import type { AskAnswer } from '#core/ask/ask-schema.ts'
import { defined } from '#core/json/json.ts'
import type { ChatPrompt, ChatResponseFormat } from '#core/models/chat.ts'
import type { AskContext } from '#services/ask/ask-ports.ts'
import type { AskHooks } from '#services/ask/ask-question.ts'
import { abortWith } from './chat-stream.ts'
import type { ApiContext } from './context.ts'
import type { ChatRequest } from './schemas/chat-request.ts'
import { streamTurn } from './turn-stream.ts'

/** Converts a request in the format of OpenAI. A parameter that is null counts as absent. */
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

/** Takes a turn within the caller's rate limit, and answers it whole or as a stream. */
export async function answerTurn(c: ApiContext, take: (ctx: AskContext, hooks: AskHooks) => Promise<AskAnswer>) {
  const { ask, models, knowledge, workspaces, authoring } = c.get('deps')
  await ask.limit.take(c.get('actor').id)
  const { connection_ports } = authoring
  const ctx = { ...c.get('ctx'), ...models, knowledge, directory: workspaces, connection_ports, ask: ask.ports }
  const disconnected = abortWith(c.req.raw.signal)
  if (c.req.header('accept')?.includes('text/event-stream'))
    return await streamTurn(c, disconnected, (onTool) => take(ctx, { signal: disconnected.signal, onTool }))
  return c.json(await take(ctx, { signal: disconnected.signal }), 200)
}
