import { DEFAULT_PROFILE, type Environment, type Profile } from '#core/environment/environment.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { type ExplainedStep, explainPlan } from '#core/policy/explain-plan.ts'
import type { CheckedDeployment } from './check-deployment.ts'

export interface Explanation extends Omit<ExplainedStep, 'step'> {
  template: string
  environment: string
  /** absent where no run begins at all */
  step?: string
}

/** Returns the outcome of each step of each template in each environment, by the policies of the files; console policies are unknown here. */
export function explainDeployment(
  {
    packs,
    environments,
    profiles,
    policies,
  }: Pick<CheckedDeployment, 'packs' | 'environments' | 'profiles' | 'policies'>,
  operators: OperatorCatalog,
  only: { environment?: string; template?: string } = {},
): Explanation[] {
  const templates = packs.flatMap(({ loaded }) => loaded?.templates ?? [])
  return templates
    .filter(({ pack, template }) => only.template === undefined || `${pack}/${template}` === only.template)
    .flatMap(({ pack, template: id, plan }) =>
      environments
        .filter(({ name }) => only.environment === undefined || name === only.environment)
        .flatMap((environment): Explanation[] => {
          const template = `${pack}/${id}`
          const set = compilePolicies(
            { layers: policies, environment: { ...environment, policies: [] } },
            { hash: (text) => text },
          )
          const profile = profileOf(environment, profiles)
          const { denied, steps } = explainPlan(plan, { environment, profile, policies: set, operators })
          const about = { template, environment: environment.name }
          if (denied.length > 0)
            return [{ ...about, operator: '', action_type: '', outcome: 'deny', because: denied, approval_roles: [] }]
          return steps.map((step) => ({ ...about, ...step }))
        }),
    )
}

/** The profile of runs that name none. */
function profileOf({ profile = DEFAULT_PROFILE }: Environment, profiles: readonly Profile[]): Profile {
  return profiles.find(({ name }) => name === profile) ?? { name: profile, requires_approval: [] }
}
