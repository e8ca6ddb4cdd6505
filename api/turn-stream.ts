import { streamSSE } from 'hono/streaming'
import type { AskAnswer } from '#core/ask/ask-schema.ts'
import type { ToolUpdate } from '#services/ask/take-turn.ts'
import type { ApiContext } from './context.ts'
import { toProblem } from './problem.ts'
import { toDomainError } from './to-domain-error.ts'

/** The description of the stream. */
export const TURN_STREAM =
  'With `Accept: text/event-stream` the turn is streamed: an event `tool` for every look-up (`{id, name, ref, rows, ms}`), `text` for each line of the answer (`{text}`), `answer` for all of it, and `end`; `error` is a problem document if something breaks on the way.'

/** Streams a turn. A refusal before the first lookup is an ordinary error; later it is an event. */
export async function streamTurn(
  c: ApiContext,
  disconnected: AbortController,
  take: (onTool: (update: ToolUpdate) => void) => Promise<AskAnswer>,
): Promise<Response> {
  const pending: ToolUpdate[] = []
  let wake = () => {}
  const answer = take((update) => {
    pending.push(update)
    wake()
  })
  const ended = answer.then(
    () => wake(),
    () => wake(),
  )
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  await Promise.race([next(), ended])
  if (pending.length === 0) await answer
  c.header('Cache-Control', 'no-cache, no-transform')
  c.header('X-Accel-Buffering', 'no')
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => disconnected.abort())
    const send = (event: string, data: object) => stream.writeSSE({ event, data: JSON.stringify(data) })
    let over = false
    void ended.then(() => {
      over = true
    })
    while (true) {
      for (let update = pending.shift(); update !== undefined; update = pending.shift()) await send('tool', update)
      if (over) break
      await Promise.race([next(), ended])
    }
    await answer.then(
      async (whole) => {
        for (const text of whole.answer.split('\n')) if (text !== '') await send('text', { text })
        await send('answer', whole)
      },
      (error: unknown) => {
        c.set('broken', error)
        return send(
          'error',
          toProblem(toDomainError(error), { instance: c.get('full_path'), request_id: c.get('request_id') }),
        )
      },
    )
    await send('end', {})
  })
}
