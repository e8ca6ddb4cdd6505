import type { CreatedSchedule } from '#core/schedule/schema.ts'
import type { ServiceContext } from '../context.ts'
import type { CheckedDraft } from './check-draft.ts'

/** What policies say now of the whole template. Where they cannot be read, gates are on. */
export async function forecastPolicies(
  ctx: Pick<ServiceContext, 'policies' | 'workspace_id'>,
  { template: { plan }, environment, profile }: Pick<CheckedDraft, 'template' | 'environment' | 'profile'>,
): Promise<CreatedSchedule['policy_forecast']> {
  const set = await ctx.policies.effective(ctx.workspace_id, environment).catch(() => undefined)
  if (set === undefined) return { effect: 'unknown', matched: [], gate_possible: true }
  const subject = {
    environment: environment.name,
    environment_class: environment.class,
    risk: plan.risk,
    action_types: plan.action_types,
    capabilities: plan.capabilities,
  }
  const { effect, matched } = set.decide(subject)
  const asked = plan.steps.some(
    (step) => step.requires_approval || profile.requires_approval.includes(step.action_type),
  )
  return {
    effect,
    matched: matched.map(({ name, layer, effect: each, reason }) => ({ name, layer, effect: each, reason })),
    gate_possible: asked || effect === 'require_hitl' || matched.some((match) => match.effect === 'require_hitl'),
  }
}
