import { type Environment, type Profile, withClass } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { freezesOn } from '#core/freeze/active-freeze.ts'
import { MODEL_ACTION, modelCallSubject } from '#core/models/model.ts'
import { policiesIn } from '../policies/list-policies.ts'
import type { ModelContext } from './model-ports.ts'

/** The rules that a call passed. */
export interface CallVerdict {
  matched: string[]
  snapshot_hash: string
}

/**
 * Judges a call as any operation: by policies, by the profile and by freezes. A call cannot wait at a gate, and cannot be simulated, so a
 * rule that requires a person refuses it. Throws `policy_denied`, `needs_approval`, `frozen`, `dependency_unavailable`.
 */
export async function judgeCall(
  ctx: ModelContext,
  { environment, profile }: { environment: Environment; profile: Profile },
): Promise<CallVerdict> {
  const policies = await policiesIn(ctx, environment)
  const verdict = policies.decide(modelCallSubject(environment))
  const reasons = verdict.matched.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
  if (verdict.effect === 'deny')
    throw new DomainError('policy_denied', reasons, { policies: verdict.matched.map(({ name }) => name) })
  const freeze = freezesOn(environment, ctx.clock(), false)[0]
  if (freeze !== undefined)
    throw new DomainError(
      'frozen',
      `the environment ${environment.name} is frozen: ${freeze.name} is on until ${freeze.until}`,
      { freeze: freeze.name, until: freeze.until },
    )
  const because =
    verdict.effect === 'require_hitl' || verdict.dry_run
      ? reasons || `nothing lets ${MODEL_ACTION} through in ${withClass(environment.name, environment.class)}`
      : profile.requires_approval.includes(MODEL_ACTION)
        ? `the profile ${profile.name} asks for approval of ${MODEL_ACTION}`
        : undefined
  if (because !== undefined)
    throw new DomainError(
      'needs_approval',
      `a person would have to approve this, but a model call cannot wait for one: ${because}. A policy with the effect allow_auto for the action type ${MODEL_ACTION} allows calls`,
    )
  return { matched: verdict.matched.map(({ name }) => name), snapshot_hash: verdict.snapshot_hash }
}
