import type { AskOrigin } from '#core/ask/ask-schema.ts'
import { DomainError } from '#core/errors.ts'
import { type AskContext, ownerOf } from './ask-ports.ts'

/** The fields of a form that fix where its run takes place. */
const PLACE = ['environment', 'profile', 'config_preset'] as const
type Place = { [Name in (typeof PLACE)[number]]?: string | undefined }

interface AskStart extends Place {
  pack: string
  template: string
  template_digest?: string | undefined
}

interface Origin extends Place {
  ask: AskOrigin
  template_digest: string
  trigger: { type: 'ask'; id: string }
}

/**
 * Returns the answer that a start refers to, and the start's missing parts. The answer must be the caller's, its action must be of this
 * template, and template, environment and profile must be those shown; inputs may have been filled in since. Throws `validation_failed`,
 * `plan_changed`.
 */
export async function originOfStart(
  ctx: Pick<AskContext, 'workspace_id' | 'actor' | 'ask'>,
  { thread_id, turn_id }: AskOrigin,
  { pack, template, template_digest, ...start }: AskStart,
): Promise<Origin> {
  const turn = await ctx.ask.threads.turn(thread_id, turn_id, ownerOf(ctx))
  const action = turn?.action
  if (!action || action.pack !== pack || action.template !== template) {
    const msg = `no answer of yours has the form of a run of ${pack}/${template} there`
    throw new DomainError('validation_failed', msg, {
      errors: [{ pointer: '/ask', loc: ['ask'], msg, type: 'unknown_ask_turn' }],
    })
  }
  const isElsewhere = PLACE.some((name) => start[name] !== undefined && start[name] !== action[name])
  if (isElsewhere || (template_digest !== undefined && template_digest !== action.template_digest))
    throw new DomainError('plan_changed', 'the plan is not the one that the answer showed', {
      template_digest: action.template_digest,
    })
  const { environment, profile, config_preset } = action
  return {
    environment,
    profile,
    config_preset,
    ask: { thread_id, turn_id },
    template_digest: action.template_digest,
    trigger: { type: 'ask', id: turn_id },
  }
}
