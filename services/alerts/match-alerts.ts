import { DomainError } from '#core/errors.ts'
import { createBudget, type EvaluationBudget } from '#core/expression/evaluation-budget.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { matchRule, type RuleMatch } from '#core/trigger/match-rule.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'

/** The rule that fits with its inputs; as text, why there is none: its inputs cannot be mapped, a condition costs too much, or `why`. */
export type Found = RuleMatch | string | undefined

/** What the rules may cost for all alerts of a request: 300 for each alert of a full batch and each of 200 rules. */
const MAX_UNITS = 60_000_000
/** After so much of it others have a turn. */
const UNITS_AT_ONCE = 200_000

/** Matches alerts one after the other; however expensive the rules are, nobody else waits for longer than one alert takes. */
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
