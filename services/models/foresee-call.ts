import { canonicalText } from '#core/canonical-text.ts'
import type { ChatPrompt } from '#core/models/chat.ts'
import type { ForeseenCall } from '#core/operator.ts'
import type { FoundModels } from './find-models.ts'
import type { CallContext } from './model-ports.ts'

/** What a call of these models would be, and cost at most. Nothing is asked, and nothing is reserved. Throws what `prepare` throws. */
export async function foreseeCall(
  ctx: Pick<CallContext, 'upstream' | 'sha256'>,
  { candidates: [first, ...others] }: FoundModels,
  prompt: ChatPrompt,
): Promise<ForeseenCall> {
  // one that takes another's place may be dearer; where it cannot be asked, it takes nobody's
  const reachable = others.filter(({ endpoint }) => !('problem' in endpoint))
  const requests = await Promise.all(
    [first, ...reachable].map((model) => ctx.upstream.prepare(model, prompt, { stream: false })),
  )
  return {
    model: first.id,
    worst_case_micro_usd: Math.max(...requests.map(({ worst_case_micro_usd }) => worst_case_micro_usd)),
    prompt_digest: `sha256:${ctx.sha256(canonicalText(prompt))}`,
  }
}
