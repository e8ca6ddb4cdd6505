import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { nearestRule } from '#core/trigger/nearest-rule.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { ServiceContext } from '../context.ts'

/** Which rule came nearest to an alert that none fits, among those that act in an environment that is known here. */
export function whyUnmatched(
  { environments }: { environments: Pick<ServiceContext['environments'], 'get'> },
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
): { detail?: string } {
  const own = rules.filter(
    ({ environment }) => environment === undefined || environments.get(environment) !== undefined,
  )
  const detail = nearestRule(own, alert)
  return detail === undefined ? {} : { detail }
}
