import type { JsonObject } from '#core/json/json.ts'
import { explainPlan } from '#core/policy/explain-plan.ts'
import { planStepSubjects, planSubjects } from '#core/policy/plan-subjects.ts'
import type { PolicySubject } from '#core/policy/types.ts'
import type { PolicyAnswer, PolicyQuestion } from '#core/policy/view-schema.ts'
import { findTemplate } from '../packs/contracts.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { mustFit } from '../runs/configure-inputs.ts'
import { type PolicyContext, policiesIn } from './list-policies.ts'

/** Evaluates the policies in force, with the code that decides. Starts and writes nothing. */
export async function simulatePolicies(ctx: PolicyContext, question: PolicyQuestion): Promise<PolicyAnswer> {
  const { environment, profile } = chooseEnvironment(ctx, {
    environment: question.environment,
    ...(question.profile !== undefined && { profile: question.profile }),
  })
  const policies = await policiesIn(ctx, environment)
  const { subject, template, inputs } = question
  if (template === undefined) {
    const asked: PolicySubject = {
      environment: environment.name,
      environment_class: environment.class,
      risk: subject?.risk ?? 'high',
      action_types: subject?.action_types ?? [],
      capabilities: subject?.capabilities ?? [],
    }
    return { environment: environment.name, verdict: policies.decide(asked) }
  }
  const [pack = '', id = ''] = template.split('/')
  const found = findTemplate(ctx, pack, id)
  if (inputs !== undefined) mustFit(found.inputs_schema, inputs as JsonObject)
  const { plan } = found
  const { denied, steps } = explainPlan(plan, { environment, profile, policies, operators: ctx.operators })
  const subjects = plan.steps.map((step) => planStepSubjects(plan, step, environment).subjects)
  return {
    environment: environment.name,
    verdict: policies.decide(...planSubjects(plan, environment)),
    denied,
    steps: steps.map((step, index) => {
      const [first, ...others] = subjects[index] ?? []
      return { ...step, matched: first === undefined ? [] : policies.decide(first, ...others).matched }
    }),
  }
}
