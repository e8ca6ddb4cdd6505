import { userMessage } from '#core/models/chat.ts'
import type { MicroUsd } from '#core/money.ts'
import { unlessFailed } from './begin-attempt.ts'
import { makeAttempts } from './make-attempts.ts'
import type { ModelCall } from './model-call.ts'
import type { ModelContext } from './model-ports.ts'
import { prepareCall } from './prepare-call.ts'

export interface EmbeddedTexts {
  /** id of the model that made them; those of another one say nothing beside them */
  model: string
  /** one for each text */
  vectors: number[][]
  cost: MicroUsd | undefined
}

/**
 * The way to vectors: judged, reserved, asked, settled and recorded as a call of a model is, and of the one model alone that the name stands
 * for. Throws what `callModel` throws.
 */
export async function embedTexts(
  ctx: ModelContext,
  { texts, ...call }: Pick<ModelCall, 'model' | 'run_id' | 'ask' | 'signal' | 'once'> & { texts: string[] },
): Promise<EmbeddedTexts> {
  const prepared = await prepareCall(ctx, { ...call, texts, prompt: { messages: texts.map(userMessage) } })
  // what takes its place would make vectors that cannot be compared
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
