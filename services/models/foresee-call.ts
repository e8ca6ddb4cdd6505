import { canonicalText } from '#core/canonical-text.ts'
import type { Profile } from '#core/environment.ts'
import type { ChatPrompt } from '#core/models/chat.ts'
import { worstCase } from '#core/models/worst-case.ts'
import type { ForeseenCall } from '#core/operator.ts'
import { findModels } from './find-models.ts'
import type { CallContext } from './model-ports.ts'

/** What a call would be, and cost at most. Nothing is asked, and nothing is reserved. Throws what `findModels` throws. */
export function foreseeCall(
  ctx: Pick<CallContext, 'models' | 'sha256'>,
  { model, prompt }: { model: string; prompt: ChatPrompt },
  profile: Profile,
): ForeseenCall {
  const { candidates } = findModels(ctx, model, profile)
  return {
    model: candidates[0].id,
    // the one that takes its place may be dearer
    worst_case_micro_usd: Math.max(...candidates.map((each) => worstCase(each, prompt))),
    prompt_digest: `sha256:${ctx.sha256(canonicalText(prompt))}`,
  }
}
