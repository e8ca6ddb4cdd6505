import type { SSEStreamingApi } from 'hono/streaming'
import type { ChatAnswer, ChatPiece, ModelUsage } from '#core/models/chat.ts'
import type { Begun } from '#services/models/call-model.ts'
import type { ChatCompletion } from './schemas/chat-answer.ts'

/** Members of every chunk of an answer. */
export interface AnswerHead {
  id: string
  created: number
}

/** A whole answer in the format of OpenAI. */
export function toChatCompletion(
  head: AnswerHead & { model: string },
  { content, refusal, tool_calls, logprobs, finish, usage }: ChatAnswer,
): ChatCompletion {
  const called = tool_calls.length > 0
  const message = {
    role: 'assistant' as const,
    content: (called || refusal !== undefined) && content === '' ? null : content,
    refusal: refusal ?? null,
    ...(called && { tool_calls }),
  }
  return {
    id: head.id,
    object: 'chat.completion' as const,
    created: head.created,
    model: head.model,
    choices: [{ index: 0, message, logprobs: logprobs ?? null, finish_reason: finish }],
    ...(usage !== undefined && { usage: toUsage(usage) }),
  }
}

/** Sends the chunks, then the usage if requested, then `[DONE]`. Throws on a failure. */
export async function sendChunks(
  stream: Pick<SSEStreamingApi, 'writeSSE'>,
  { id, created }: AnswerHead,
  { pieces, with_usage }: { pieces: AsyncIterable<Begun | ChatPiece>; with_usage: boolean },
): Promise<void> {
  let model = ''
  const send = (body: object) =>
    stream.writeSSE({ data: JSON.stringify({ id, object: 'chat.completion.chunk', created, model, ...body }) })
  const chunk = (delta: object, finish_reason: string | null = null, logprobs: object | null = null) =>
    send({ choices: [{ index: 0, delta, logprobs, finish_reason }], ...(with_usage && { usage: null }) })
  for await (const piece of pieces) {
    if (piece.type === 'begin') {
      model = piece.model
      await chunk({ role: 'assistant', content: '' })
    }
    if (piece.type === 'text') await chunk({ content: piece.text }, null, piece.logprobs)
    if (piece.type === 'refusal') await chunk({ refusal: piece.text }, null, piece.logprobs)
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
      if (with_usage) await send({ choices: [], usage: piece.usage === undefined ? null : toUsage(piece.usage) })
    }
  }
  await stream.writeSSE({ data: '[DONE]' })
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
