import { streamSSE } from 'hono/streaming'
import type { ChatPiece } from '#core/models/chat.ts'
import { type MicroUsd, usdText } from '#core/money.ts'
import { type AnswerHead, sendChunks } from './chat-answer.ts'
import type { ApiContext } from './context.ts'

export interface ChunkSource {
  pieces: AsyncIterable<ChatPiece>
  /** told when whoever reads has gone */
  gone: AbortController
  with_usage: boolean
}

/** An answer piece by piece. It is read at once, also where nobody takes it: whatever was begun is settled. */
export function streamChunks(c: ApiContext, head: AnswerHead, { pieces, gone, with_usage }: ChunkSource): Response {
  c.header('Cache-Control', 'no-cache, no-transform')
  c.header('X-Accel-Buffering', 'no')
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => gone.abort())
    await sendChunks(stream, head, { pieces, with_usage })
  })
}

/** What every piece of the answer says of it. The headers say which model gave it and, of a whole one, what it cost. */
export function answerHead(c: ApiContext, { model, cost }: { model: string; cost?: MicroUsd | undefined }): AnswerHead {
  c.header('X-Svc-Model', model)
  if (cost !== undefined) c.header('X-Svc-Cost-Usd', usdText(cost))
  return { id: `chatcmpl-${c.get('request_id')}`, created: Math.floor(c.get('ctx').clock() / 1_000), model }
}

/** Fires when the connection of whoever asked does, and may be fired for another reason. */
export function goneWith(connection: AbortSignal): AbortController {
  const gone = new AbortController()
  if (connection.aborted) gone.abort()
  connection.addEventListener('abort', () => gone.abort(), { once: true })
  return gone
}
