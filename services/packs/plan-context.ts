import type { OperatorCatalog } from '#core/operator.ts'
import type { Plan } from '#core/plan/types.ts'
import { type ExplainedPlan, explainPlan } from '#core/policy/explain-plan.ts'
import type { ServiceContext, StartPorts } from '../context.ts'
import { chooseEnvironment, type EnvironmentRequest } from '../runs/choose-environment.ts'

/** The context in which a template is judged before anything of it runs. */
export type PlanContext = Pick<
  ServiceContext,
  'environments' | 'packs' | 'workspace_id' | 'workspace_slug' | 'default_environment'
> &
  Pick<StartPorts, 'policies'> & { operators: Pick<OperatorCatalog, 'get'> }

/** Returns the outcome of each step where it would run. Unreadable policies mean a gate everywhere. */
export async function explainIn(
  ctx: PlanContext,
  plan: Plan,
  { environment, profile }: ReturnType<typeof chooseEnvironment>,
): Promise<ExplainedPlan | undefined> {
  const policies = await ctx.policies.effective(ctx.workspace_id, environment).catch(() => undefined)
  return policies && explainPlan(plan, { environment, profile, policies, operators: ctx.operators })
}

/** As a query names it. */
export function environmentOf(
  ctx: PlanContext,
  asked: { [Key in keyof EnvironmentRequest]?: EnvironmentRequest[Key] | undefined },
) {
  const { environment, profile, sandbox } = asked
  return chooseEnvironment(ctx, {
    ...(environment !== undefined && { environment }),
    ...(profile !== undefined && { profile }),
    ...(sandbox !== undefined && { sandbox }),
  })
}
