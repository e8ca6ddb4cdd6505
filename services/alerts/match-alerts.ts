import { DomainError } from '#core/errors.ts'
import { createBudget, type EvaluationBudget } from '#core/expression/evaluation-budget.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { matchRule, type RuleMatch } from '#core/trigger/match-rule.ts'
import { nearestRule } from '#core/trigger/nearest-rule.ts'
import { orderRules, type TriggerRule } from '#core/trigger/rule.ts'
import type { ServiceContext } from '../context.ts'

type Rules = readonly TriggerRule[]

/** Keyed by the lists of the packs and of the console, since each reload makes a new list; the overlay's is compared. */
const ordered = new WeakMap<Rules, WeakMap<Rules, { overlay: Rules; rules: Rules }>>()

/** The rules of the console, the overlay and the packs in the order in which they are tried. */
export async function rulesInOrder({
  environments,
  packs,
  console_rules,
  workspace_id,
}: Pick<ServiceContext, 'environments' | 'packs' | 'console_rules' | 'workspace_id'>): Promise<Rules> {
  const authored = await console_rules.current(workspace_id)
  const [overlay, shipped] = [environments.rules(), packs.rules()]
  const byShipped = ordered.get(shipped) ?? new WeakMap<Rules, { overlay: Rules; rules: Rules }>()
  ordered.set(shipped, byShipped)
  const known = byShipped.get(authored)
  if (known?.overlay === overlay) return known.rules
  const rules = orderRules([...authored, ...overlay, ...shipped])
  byShipped.set(authored, { overlay, rules })
  return rules
}

/** The rule that fits with its inputs; as text, why there is none: its inputs cannot be mapped, a condition costs too much, or `why`. */
export type Found = RuleMatch | string | undefined

/** Cost limit of the rules for all alerts of a request: 300 for each alert of a full batch and each of 200 rules. */
const MAX_UNITS = 60_000_000
/** After this much work other requests have a turn. */
const UNITS_AT_ONCE = 200_000

/** Matches alerts one after the other; however expensive the rules are, other requests wait for one alert at most. */
export async function matchAlerts<Alert extends { alert: NormalizedAlert }>(
  rules: readonly TriggerRule[],
  alerts: readonly Alert[],
  why: (alert: NormalizedAlert, within: EvaluationBudget) => string | undefined = () => undefined,
): Promise<Map<Alert, Found>> {
  const found = new Map<Alert, Found>()
  const budget = createBudget(MAX_UNITS)
  let pauseAt = UNITS_AT_ONCE
  for (const each of alerts) {
    found.set(each, matchOrDetail(rules, each.alert, 'alert', budget) ?? why(each.alert, budget))
    if (budget.spent < pauseAt) continue
    await new Promise((resume) => setImmediate(resume))
    pauseAt = budget.spent + UNITS_AT_ONCE
  }
  return found
}

export function matchOrDetail(
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
  on?: TriggerRule['on'],
  within?: EvaluationBudget,
): Found {
  try {
    return matchRule(rules, alert, on, within)
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}

/**
 * Returns the rule that came nearest to an unmatched alert. A rule for an environment that this workspace may not use is skipped; one for
 * an environment that does not exist is reported.
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
