import type { SSEStreamingApi } from 'hono/streaming'
import type { ChatAnswer, ChatPiece, ModelUsage } from '#core/models/chat.ts'
import { toModelError } from './model-error.ts'
import type { ChatCompletion } from './schemas/chat-answer.ts'
import { toDomainError } from './to-domain-error.ts'

/** What every piece of one answer says of it. */
export interface AnswerHead {
  id: string
  created: number
  model: string
}

/** A whole answer in the format of OpenAI. */
export function toChatCompletion(head: AnswerHead, { content, tool_calls, finish, usage }: ChatAnswer): ChatCompletion {
  const called = tool_calls.length > 0
  const message = {
    role: 'assistant' as const,
    content: called && content === '' ? null : content,
    refusal: null,
    ...(called && { tool_calls }),
  }
  return {
    ...{ id: head.id, object: 'chat.completion' as const, created: head.created, model: head.model },
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(usage !== undefined && { usage: toUsage(usage) }),
  }
}

/** Sends the pieces as chunks, then what they took where that was asked for, then `[DONE]`. What goes wrong on the way is the last chunk. */
export async function sendChunks(
  stream: SSEStreamingApi,
  { id, created, model }: AnswerHead,
  { pieces, with_usage }: { pieces: AsyncIterable<ChatPiece>; with_usage: boolean },
): Promise<void> {
  const head = { id, object: 'chat.completion.chunk', created, model }
  const send = (body: object) => stream.writeSSE({ data: JSON.stringify(body) })
  const chunk = (delta: object, finish_reason: string | null = null) =>
    send({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(with_usage && { usage: null }),
    })
  try {
    await chunk({ role: 'assistant', content: '' })
    for await (const piece of pieces) {
      if (piece.type === 'text') await chunk({ content: piece.text })
      if (piece.type === 'tool_call')
        await chunk({
          tool_calls: [
            { index: piece.index, id: piece.id, type: 'function', function: { name: piece.name, arguments: '' } },
          ],
        })
      if (piece.type === 'tool_arguments')
        await chunk({ tool_calls: [{ index: piece.index, function: { arguments: piece.text } }] })
      if (piece.type === 'end') {
        await chunk({}, piece.finish)
        if (with_usage)
          await send({ ...head, choices: [], usage: piece.usage === undefined ? null : toUsage(piece.usage) })
      }
    }
    await stream.writeSSE({ data: '[DONE]' })
  } catch (error) {
    await send(toModelError(toDomainError(error)))
  }
}

function toUsage({ input, output, cached, reasoning }: ModelUsage): NonNullable<ChatCompletion['usage']> {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}
