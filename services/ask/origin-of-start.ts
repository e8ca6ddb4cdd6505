import type { AskOrigin } from '#core/ask/ask-schema.ts'
import { DomainError } from '#core/errors.ts'
import { type AskContext, ownerOf } from './ask-ports.ts'

interface AskStart {
  pack: string
  template: string
  template_digest?: string | undefined
}

interface Origin {
  ask: AskOrigin
  template_digest: string
  trigger: { type: 'ask'; id: string }
}

/**
 * What a start that names an answer is bound to, by the record of that answer: it has to be the caller's, its action has to be of this
 * template, and the template the one that was shown: the form may have been filled in since. Throws `validation_failed`, `plan_changed`.
 */
export async function originOfStart(
  ctx: Pick<AskContext, 'workspace_id' | 'actor' | 'ask'>,
  { thread_id, turn_id }: AskOrigin,
  { pack, template, template_digest }: AskStart,
): Promise<Origin> {
  const turn = await ctx.ask.threads.turn(thread_id, turn_id, ownerOf(ctx))
  const action = turn?.action
  if (!action || action.pack !== pack || action.template !== template) {
    const msg = `no answer of yours has the form of a run of ${pack}/${template} there`
    throw new DomainError('validation_failed', msg, {
      errors: [{ pointer: '/ask', loc: ['ask'], msg, type: 'unknown_ask_turn' }],
    })
  }
  if (template_digest !== undefined && template_digest !== action.template_digest)
    throw new DomainError('plan_changed', 'the plan is not the one that the answer showed', {
      template_digest: action.template_digest,
    })
  return {
    ask: { thread_id, turn_id },
    template_digest: action.template_digest,
    trigger: { type: 'ask', id: turn_id },
  }
}
