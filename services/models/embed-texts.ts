import { userMessage } from '#core/models/chat.ts'
import type { MicroUsd } from '#core/money.ts'
import { unlessFailed } from './begin-attempt.ts'
import { makeAttempts } from './make-attempts.ts'
import type { ModelCall } from './model-call.ts'
import type { ModelContext } from './model-ports.ts'
import { prepareCall } from './prepare-call.ts'

export interface EmbeddedTexts {
  /** id of their model; vectors of another one are not comparable */
  model: string
  /** one for each text */
  vectors: number[][]
  cost: MicroUsd | undefined
}

/**
 * Embeds texts: judged, reserved, sent, settled and recorded as any model call, with the named model only. Throws what `callModel` throws.
 */
export async function embedTexts(
  ctx: ModelContext,
  { texts, ...call }: Pick<ModelCall, 'model' | 'run_id' | 'ask' | 'signal' | 'once'> & { texts: string[] },
): Promise<EmbeddedTexts> {
  const prepared = await prepareCall(ctx, { ...call, texts, prompt: { messages: texts.map(userMessage) } })
  // vectors of a fallback could not be compared
  const [model] = prepared.candidates
  return await makeAttempts(
    ctx,
    { ...prepared, candidates: [model] },
    {
      prepare: (each) => ctx.upstream.prepareVectors(each, texts),
      async act(request, attempt) {
        const { vectors, tokens } = await unlessFailed(attempt, () => ctx.upstream.embed(request, call.signal))
        const usage =
          tokens === undefined ? undefined : { input: tokens, output: 0, cached: 0, cache_write: 0, reasoning: 0 }
        const cost = await attempt.succeeded({ content: '', tool_calls: [], vectors, usage })
        return { model: request.model.id, vectors, cost }
      },
    },
  )
}
