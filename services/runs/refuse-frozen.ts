import type { Environment } from '#core/environment.ts'
import { DomainError } from '#core/errors.ts'
import { freezesOn, isBlocking } from '#core/freeze/active-freeze.ts'
import type { JsonObject } from '#core/json.ts'
import { planActionTypes } from '#core/plan/plan-action-types.ts'
import type { Plan } from '#core/plan/types.ts'
import type { ServiceContext } from '../context.ts'
import type { Refused } from './refuse-denied.ts'
import { startAudit } from './start-audit.ts'

/**
 * The refusal of a freeze that nobody may lift, with `frozen`; undefined without one. Where a freeze has approvers the run starts,
 * and its steps wait for them. `place`: that of the run in a pipeline.
 */
export function refuseFrozen(
  ctx: ServiceContext,
  plan: Plan,
  environment: Environment,
  place: JsonObject = {},
): Refused | undefined {
  const writes = planActionTypes(plan).some((type) => type !== 'read')
  const freeze = freezesOn(environment, ctx.clock(), writes).find(isBlocking)
  if (freeze === undefined) return undefined
  const { name, until } = freeze
  return {
    error: new DomainError('frozen', `the environment ${environment.name} is frozen: ${name} is on until ${until}`, {
      freeze: name,
      until,
    }),
    audit: startAudit(ctx, {
      action: 'run.frozen',
      subject: { type: 'template', id: `${plan.pack}/${plan.template}` },
      data: { environment: environment.name, freeze: name, until, ...place },
    }),
  }
}
