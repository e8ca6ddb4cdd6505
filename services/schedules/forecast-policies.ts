import { planStepSubjects, planSubjects } from '#core/policy/plan-subjects.ts'
import type { CreatedSchedule } from '#core/schedule/schema.ts'
import { hasName } from '#core/text/text.ts'
import type { StartContext } from '../context.ts'
import type { CheckedDraft } from './check-draft.ts'

export const UNKNOWN_FORECAST: CreatedSchedule['policy_forecast'] = {
  effect: 'unknown',
  matched: [],
  gate_possible: true,
}

/** Predicts the policies' outcome: the strictest of all steps, or the denial of the whole plan. Unreadable policies mean gates. */
export async function forecastPolicies(
  ctx: Pick<StartContext, 'policies' | 'workspace_id'>,
  { template: { plan }, environment, profile }: Pick<CheckedDraft, 'template' | 'environment' | 'profile'>,
): Promise<CreatedSchedule['policy_forecast']> {
  const set = await ctx.policies.effective(ctx.workspace_id, environment).catch(() => undefined)
  if (set === undefined) return UNKNOWN_FORECAST
  const steps = plan.steps.map((step) => planStepSubjects(plan, step, environment))
  const [first, ...others] = steps.flatMap(({ subjects }) => subjects)
  const denied = set.decide(...planSubjects(plan, environment))
  const verdict = denied.effect === 'deny' || first === undefined ? denied : set.decide(first, ...others)
  const asked = plan.steps.some((step, index) => {
    const types = steps[index]?.action_types ?? []
    return step.requires_approval || profile.requires_approval.some((type) => hasName(types, type))
  })
  return {
    effect: verdict.effect,
    matched: verdict.matched.map(({ name, layer, effect, reason }) => ({ name, layer, effect, reason })),
    gate_possible:
      asked || verdict.matched.some(({ effect }) => effect === 'require_hitl') || verdict.effect === 'require_hitl',
  }
}
