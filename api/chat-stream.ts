import { streamSSE } from 'hono/streaming'
import type { ChatPiece } from '#core/models/chat.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { type MicroUsd, usdText } from '#core/money.ts'
import type { Begun } from '#services/models/call-model.ts'
import { type AnswerHead, sendChunks } from './chat-answer.ts'
import type { ApiContext } from './context.ts'
import { toModelError } from './model-error.ts'
import { toDomainError } from './to-domain-error.ts'

export interface ChunkSource {
  pieces: AsyncIterable<Begun | ChatPiece>
  /** aborted when the reader disconnects */
  disconnected: AbortController
  with_usage: boolean
}

/** Proxies may close an idle connection. */
const KEEP_ALIVE_MS = 5_000
const KEEP_ALIVE = ': keep-alive\n\n'

/**
 * Streams an answer: its head at once, and comments while nothing else comes. The answer is read even if the client does not, so that it is
 * settled. A client that keeps its connection and reads nothing is disconnected, because its reservation and the provider wait. A failure
 * is the last event, in the format's own form.
 */
export function streamChunks(
  c: ApiContext,
  head: AnswerHead,
  { pieces, disconnected, with_usage }: ChunkSource,
): Response {
  c.header('Cache-Control', 'no-cache, no-transform')
  c.header('X-Accel-Buffering', 'no')
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => disconnected.abort())
    const taken = cutAfter(c.get('deps').models.unread_ms, (unread) => {
      disconnected.abort(unread)
      stream.abort()
      c.env?.outgoing?.destroy()
    })
    await taken(stream.write(KEEP_ALIVE))
    const timer = setInterval(() => void stream.write(KEEP_ALIVE), KEEP_ALIVE_MS)
    try {
      await sendChunks({ writeSSE: (message) => taken(stream.writeSSE(message)) }, head, { pieces, with_usage })
    } catch (thrown) {
      const error = toDomainError(thrown)
      c.get('deps').log.warn(
        { request_id: c.get('request_id'), code: error.code, reason: error.message },
        'a streamed answer has failed after its head was sent',
      )
      await taken(stream.writeSSE({ data: JSON.stringify(toModelError(error)) }))
    } finally {
      clearInterval(timer)
    }
  })
}

/** Waits for a write, which ends when the client has read the earlier ones. */
function cutAfter(ms: number, cut: (unread: UpstreamError) => void): <T>(write: Promise<T>) => Promise<T> {
  return async (write) => {
    const timer = setTimeout(
      () => cut(new UpstreamError('aborted', `the caller has taken next to nothing for ${ms / 1_000} s`)),
      ms,
    )
    try {
      return await write
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Returns the members of every chunk. Headers name the model and, for a whole answer, its cost. */
export function answerHead(
  c: ApiContext,
  { model, cost }: { model: string | undefined; cost?: MicroUsd | undefined },
): AnswerHead {
  if (model !== undefined) c.header('X-Svc-Model', model)
  if (cost !== undefined) c.header('X-Svc-Cost-Usd', usdText(cost))
  return { id: `chatcmpl-${c.get('request_id')}`, created: Math.floor(c.get('ctx').clock() / 1_000) }
}

/** Returns a controller that aborts with the caller's connection, or for another reason. */
export function abortWith(connection: AbortSignal): AbortController {
  const disconnected = new AbortController()
  if (connection.aborted) disconnected.abort()
  connection.addEventListener('abort', () => disconnected.abort(), { once: true })
  return disconnected
}
