import type { EvaluationBudget } from '#core/expression/evaluation-budget.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { nearestRule } from '#core/trigger/nearest-rule.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { ServiceContext } from '../context.ts'

/**
 * Which rule came nearest to an alert that none fits. One that acts in an environment which is kept from this workspace is nobody's
 * business here; one whose environment there is nowhere is a slip that somebody has to hear of.
 */
export function whyUnmatched(
  { environments }: { environments: Pick<ServiceContext['environments'], 'get' | 'list'> },
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
  { on, within }: { on?: TriggerRule['on']; within?: EvaluationBudget } = {},
): { detail?: string } {
  const isHidden = ({ environment: name }: TriggerRule) =>
    name !== undefined && environments.get(name) === undefined && environments.list().some((each) => each.name === name)
  const detail = nearestRule(
    rules.filter((rule) => !isHidden(rule)),
    alert,
    on,
    within,
  )
  return detail === undefined ? {} : { detail }
}
