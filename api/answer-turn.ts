import type { AskAnswer } from '#core/ask/ask-schema.ts'
import type { AskContext } from '#services/ask/ask-ports.ts'
import type { AskHooks } from '#services/ask/ask-question.ts'
import { goneWith } from './chat-stream.ts'
import type { ApiContext } from './context.ts'
import { streamTurn } from './turn-stream.ts'

/** Takes a turn for whoever asks, as often as they may, and answers it whole or as it comes. */
export async function answerTurn(
  c: ApiContext,
  take: (ctx: AskContext, hooks: AskHooks) => Promise<AskAnswer>,
) {
  const { ask, models, workspaces } = c.get('deps')
  await ask.limit.take(c.get('actor').id)
  const ctx = { ...c.get('ctx'), ...models, directory: workspaces, ask: ask.ports }
  const gone = goneWith(c.req.raw.signal)
  if (c.req.header('accept')?.includes('text/event-stream'))
    return await streamTurn(c, gone, (onTool) => take(ctx, { signal: gone.signal, onTool }))
  return c.json(await take(ctx, { signal: gone.signal }), 200)
}
