import type { Schema } from '#client/create-client.ts'
import { makePlan, type PlanningApi, type StartRequest } from './make-plan.ts'
import type { StartPlan } from './start-plan.ts'

/** The plan of what an answer proposes, by the planner and no model. A profile that the caller names takes the place of the proposed one. */
export async function planOfAction(
  api: PlanningApi,
  action: NonNullable<Schema<'AskAction'>>,
  of: Pick<StartRequest, 'profile' | 'workspace'>,
): Promise<StartPlan> {
  const { pack, template, inputs, environment, config_preset } = action
  const profile = of.profile ?? action.profile
  return await makePlan(api, {
    ...{ pack, template, inputs, environment },
    ...(profile !== undefined && { profile }),
    ...(config_preset !== undefined && { config_preset }),
    ...(of.workspace !== undefined && { workspace: of.workspace }),
  })
}
