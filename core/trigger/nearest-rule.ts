import { BudgetSpentError, createBudget, type EvaluationBudget } from '../expression/evaluation-budget.ts'
import type { NormalizedAlert } from './alert.ts'
import { matchGlob } from './match-rule.ts'
import type { TriggerRule } from './rule.ts'

/** Cost limit of the search for one alert. */
const MAX_UNITS = 100_000
const UNITS_PER_RULE = 50

/**
 * Returns the rule that came nearest to an unmatched alert, and its mismatches; undefined where no rule is for alerts. Where there are too
 * many to compare, one of the first. Costs count `within` another budget as well.
 */
export function nearestRule(
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
  on: TriggerRule['on'] = 'alert',
  within?: EvaluationBudget,
): string | undefined {
  const budget = createBudget(MAX_UNITS, within)
  const [nearest] = compared(
    rules.filter((rule) => rule.on === on),
    alert,
    budget,
  ).sort((a, b) => a.misses.length - b.misses.length)
  if (nearest === undefined) return undefined
  const { rule, misses } = nearest
  const why = misses.length === 0 ? 'its condition `when` does not hold' : misses.join('; ')
  return `no rule fits; ${rule.name} came nearest: ${why}`
}

function compared(rules: readonly TriggerRule[], alert: NormalizedAlert, budget: EvaluationBudget) {
  const found: { rule: TriggerRule; misses: string[] }[] = []
  try {
    for (const rule of rules) {
      budget.spend(UNITS_PER_RULE)
      found.push({ rule, misses: missesOf(rule, alert, budget) })
    }
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error
  }
  return found
}

/** The alert's text is its sender's; the rule's belongs to this workspace. */
function missesOf({ match }: TriggerRule, alert: NormalizedAlert, budget: EvaluationBudget): string[] {
  const miss = (what: string, got: string, globs: readonly string[]) => missOf(what, got, { globs, budget })
  const symptoms = typeof match.symptom === 'string' ? [match.symptom] : (match.symptom ?? ['*'])
  const label = (name: string): string => {
    const value: unknown = Object.getOwnPropertyDescriptor(alert.labels, name)?.value
    return typeof value === 'string' ? value : ''
  }
  return [
    ...miss('source', alert.source, [match.source ?? '*']),
    ...miss('service', alert.service, [match.service ?? '*']),
    ...miss('symptom', alert.symptom, symptoms),
    ...(match.severity.length === 0 || match.severity.includes(alert.severity)
      ? []
      : [`the severity of the alert is ${alert.severity}, not ${match.severity.join(' or ')}`]),
    ...Object.entries(match.labels).flatMap(([name, glob]) => miss(`label ${name}`, label(name), [glob])),
  ]
}

function missOf(
  what: string,
  got: string,
  { globs, budget }: { globs: readonly string[]; budget: EvaluationBudget },
): string[] {
  if (globs.some((glob) => matchGlob(glob, got, budget))) return []
  return [
    `the ${what} of the alert is ${got === '' ? 'missing' : shortened(got)}, not ${globs.slice(0, 5).join(' or ')}`,
  ]
}

function shortened(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`
}
