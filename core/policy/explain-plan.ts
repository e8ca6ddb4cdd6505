import type { Environment, Profile } from '../environment/environment.ts'
import { resolveGate } from '../gate/resolve.ts'
import type { OperatorCatalog } from '../operator.ts'
import type { Plan } from '../plan/types.ts'
import { hasName } from '../text/text.ts'
import { planStepSubjects, planSubjects } from './plan-subjects.ts'
import type { PolicySet } from './types.ts'

/** Outcomes of a step: it runs, it is tried first, it waits for approval, it is denied. */
export const STEP_OUTCOMES = ['auto', 'dry_run', 'gate', 'deny'] as const
export type StepOutcome = (typeof STEP_OUTCOMES)[number]

export interface ExplainedStep {
  step: string
  operator: string
  /** its action type, as far as it is known before its input is rendered */
  action_type: string
  outcome: StepOutcome
  /** one sentence each */
  because: string[]
  /** all of these clauses, any role of each */
  approval_roles: string[][]
}

export interface ExplainedPlan {
  /** reasons why no run could begin; empty: it could */
  denied: string[]
  steps: ExplainedStep[]
}

/**
 * Returns the outcome of each step of a plan in an environment, by all four authorities, before it is rendered. Freezes are left out: they
 * pass.
 */
export function explainPlan(
  plan: Plan,
  {
    environment,
    profile,
    policies,
    operators,
  }: {
    environment: Environment
    profile: Profile
    policies: PolicySet
    operators: Pick<OperatorCatalog, 'get'>
  },
): ExplainedPlan {
  const admission = policies.decide(...planSubjects(plan, environment))
  return {
    denied: admission.effect === 'deny' ? reasons(admission.matched, 'deny') : [],
    steps: plan.steps.map((step): ExplainedStep => {
      const operator = operators.get(step.operator)
      const { action_types, subjects } = planStepSubjects(plan, step, environment)
      const verdict = policies.decide(...subjects)
      const { prevent_self, min_approvals } = environment.approval
      const gate = resolveGate({
        operator: operator?.requires_approval ?? true,
        profile: profile.requires_approval.some((type) => hasName(action_types, type)),
        policy: verdict,
        pack: step.requires_approval,
        min_approvals,
        prevent_self,
        dry_run_unavailable: verdict.dry_run && operator?.simulate === undefined,
      })
      const outcome = verdict.effect === 'deny' ? 'deny' : gate.on ? 'gate' : verdict.dry_run ? 'dry_run' : 'auto'
      return {
        step: step.id,
        operator: step.operator,
        action_type: step.action_type,
        outcome,
        because: outcome === 'gate' ? gate.because : orNothing(reasons(verdict.matched, EFFECT_OF[outcome])),
        approval_roles: outcome === 'gate' ? gate.required.approval_roles : [],
      }
    }),
  }
}

const EFFECT_OF = { auto: 'allow_auto', dry_run: 'require_dry_run', deny: 'deny' } as const

const orNothing = (found: string[]) => (found.length === 0 ? ['nothing asks for more here'] : found)

function reasons(matched: ReturnType<PolicySet['decide']>['matched'], effect: string): string[] {
  return matched
    .filter((match) => match.effect === effect)
    .map(({ name, layer, reason }) => `the ${layer} policy ${name}${reason && `: ${reason}`}`)
}
