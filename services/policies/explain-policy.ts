import { DEFAULT_PROFILE, type Environment, isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { explainPlan } from '#core/policy/explain-plan.ts'
import { planStepSubjects } from '#core/policy/plan-subjects.ts'
import type { Effect } from '#core/policy/types.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { listPolicies, type PolicyContext, policiesIn } from './list-policies.ts'

export interface Touched {
  template: string
  environment: string
  step: string
  operator: string
  action_type: string
  effects: Effect[]
  outcome: ReturnType<typeof explainPlan>['steps'][number]['outcome']
  because: string[]
}

/** Returns the steps of templates that a policy affects, in each environment of the workspace or in one. Throws `not_found`. */
export async function explainPolicy(
  ctx: PolicyContext,
  name: string,
  only: { environment?: string | undefined } = {},
): Promise<Touched[]> {
  const known = await listPolicies(ctx)
  if (!known.some((policy) => policy.name === name)) throw new DomainError('not_found', `there is no policy ${name}`)
  const places =
    only.environment === undefined
      ? ctx.environments.list().filter((each) => isGranted(each, ctx.workspace_slug))
      : [chooseEnvironment(ctx, { environment: only.environment }).environment]
  const templates = ctx.packs.list().flatMap((pack) => pack.templates)
  const found = await Promise.all(places.map((place) => touchedIn(ctx, name, place, templates)))
  return found.flat()
}

async function touchedIn(
  ctx: PolicyContext,
  name: string,
  environment: Environment,
  templates: readonly LoadedTemplate[],
): Promise<Touched[]> {
  const profile = ctx.environments.profile(environment.profile ?? DEFAULT_PROFILE)
  const policies = await policiesIn(ctx, environment)
  return templates.flatMap(({ pack, template, plan }) => {
    const explained = explainPlan(plan, { environment, profile, policies, operators: ctx.operators })
    return plan.steps.flatMap((step, index): Touched[] => {
      const { matched } = policies.decide(...planStepSubjects(plan, step, environment).subjects)
      const effects = matched.filter((match) => match.name === name).map(({ effect }) => effect)
      const predicted = explained.steps[index]
      if (effects.length === 0 || predicted === undefined) return []
      const { operator, action_type, outcome, because } = predicted
      const about = { template: `${pack}/${template}`, environment: environment.name, step: step.id }
      return [{ ...about, operator, action_type, effects: [...new Set(effects)], outcome, because }]
    })
  })
}
