import { DomainError } from '../errors.ts'
import { compileExpression } from '../expression/compile-expression.ts'
import { BudgetSpentError, createBudget, type EvaluationBudget } from '../expression/evaluation-budget.ts'
import { isBudgetSpent } from '../expression/expression-error.ts'
import { renderValue } from '../expression/parse-template-string.ts'
import type { JsonObject } from '../json/json.ts'
import { alertScope, type NormalizedAlert } from './alert.ts'
import type { TriggerRule } from './rule.ts'

export interface RuleMatch {
  rule: TriggerRule
  /** the run's inputs, mapped from the alert */
  inputs: JsonObject
}

/** Cost limit of all rules of a workspace for one alert. */
const MAX_UNITS = 250_000
const UNITS_PER_RULE = 20

/**
 * Returns the first rule that matches an alert, with the inputs it maps. A condition over something that the alert does not have does not
 * match; inputs that cannot be mapped throw `validation_failed`, because the rule did match. So does a condition that costs too much,
 * because a later rule must not answer for it. Costs count `within` another budget as well.
 */
export function matchRule(
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
  on: TriggerRule['on'] = 'alert',
  within?: EvaluationBudget,
): RuleMatch | undefined {
  const scope = alertScope(alert)
  const budget = createBudget(MAX_UNITS, within)
  const rule = rules.find((each) => each.on === on && fits(each, alert, budget) && holds(each, scope, budget))
  if (rule === undefined) return undefined
  return { rule, inputs: mapInputs(rule, scope, budget) }
}

function fits({ name, match }: TriggerRule, alert: NormalizedAlert, budget: EvaluationBudget): boolean {
  const symptoms = typeof match.symptom === 'string' ? [match.symptom] : match.symptom
  const matches = (glob: string, text: string) => matchGlob(glob, text, budget)
  try {
    budget.spend(UNITS_PER_RULE)
    return (
      (match.source === undefined || matches(match.source, alert.source)) &&
      (match.service === undefined || matches(match.service, alert.service)) &&
      (symptoms === undefined || symptoms.some((glob) => matches(glob, alert.symptom))) &&
      (match.severity.length === 0 || match.severity.includes(alert.severity)) &&
      Object.entries(match.labels).every(([label, glob]) => {
        const value: unknown = Object.getOwnPropertyDescriptor(alert.labels, label)?.value
        return typeof value === 'string' && matches(glob, value)
      })
    )
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error
    throw new DomainError('validation_failed', `rule ${name}: match: ${error.message}`, {}, { cause: error })
  }
}

function holds({ name, match: { when } }: TriggerRule, scope: JsonObject, budget: EvaluationBudget): boolean {
  if (when === undefined) return true
  try {
    return compileExpression(when).evaluate(scope, budget) === true
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (isBudgetSpent(error)) throw ofRule(name, 'match.when', error)
    return false
  }
}

function mapInputs({ name, inputs }: TriggerRule, scope: JsonObject, budget: EvaluationBudget): JsonObject {
  try {
    return Object.fromEntries(
      Object.entries(inputs).map(([input, value]) => [input, renderValue(value, scope, budget)]),
    )
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw ofRule(name, 'inputs', error)
  }
}

function ofRule(name: string, field: string, error: DomainError): DomainError {
  return new DomainError(error.code, `rule ${name}: ${field}: ${error.message}`, error.details, { cause: error })
}

const COMPARED_AT_ONCE = 1_024
const UNITS_AT_ONCE = 256

/** Tells whether text matches a glob in which `*` is any text and `?` any one character; at most glob × text comparisons. */
export function matchGlob(glob: string, text: string, budget?: EvaluationBudget): boolean {
  if (glob === '*' || glob === text) return true
  if (!/[*?]/.test(glob)) return false
  const pattern = [...glob]
  const chars = [...text]
  let at = 0
  let star = -1
  let retry = 0
  let compared = 0
  for (let index = 0; index < chars.length; ) {
    if (++compared % COMPARED_AT_ONCE === 0) budget?.spend(UNITS_AT_ONCE)
    if (at < pattern.length && pattern[at] === '*') {
      star = at++
      retry = index
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === chars[index])) {
      at++
      index++
    } else if (star !== -1) {
      at = star + 1
      index = ++retry
    } else return false
  }
  return pattern.slice(at).every((char) => char === '*')
}
