import { DomainError } from '../errors.ts'
import { compileExpression } from '../expression/compile-expression.ts'
import { renderValue } from '../expression/render-value.ts'
import type { JsonObject } from '../json.ts'
import { alertScope, type NormalizedAlert } from './alert.ts'
import { matchGlob } from './glob.ts'
import type { TriggerRule } from './rule.ts'

export interface RuleMatch {
  rule: TriggerRule
  /** the run's inputs, mapped from the alert */
  inputs: JsonObject
}

/**
 * The first rule that fits an alert, in the order given, with the inputs it maps. A condition over something that the alert
 * does not have does not fit; inputs that cannot be mapped throw `validation_failed`, because the rule did fit.
 */
export function matchRule(
  rules: readonly TriggerRule[],
  alert: NormalizedAlert,
  on: TriggerRule['on'] = 'alert',
): RuleMatch | undefined {
  const scope = alertScope(alert)
  const rule = rules.find((each) => each.on === on && fits(each, alert, scope))
  if (rule === undefined) return undefined
  return { rule, inputs: mapInputs(rule, scope) }
}

function fits({ match }: TriggerRule, alert: NormalizedAlert, scope: JsonObject): boolean {
  const symptoms = typeof match.symptom === 'string' ? [match.symptom] : match.symptom
  return (
    (match.source === undefined || matchGlob(match.source, alert.source)) &&
    (match.service === undefined || matchGlob(match.service, alert.service)) &&
    (symptoms === undefined || symptoms.some((glob) => matchGlob(glob, alert.symptom))) &&
    (match.severity.length === 0 || match.severity.includes(alert.severity)) &&
    Object.entries(match.labels).every(([name, glob]) => {
      const value: unknown = Object.getOwnPropertyDescriptor(alert.labels, name)?.value
      return typeof value === 'string' && matchGlob(glob, value)
    }) &&
    (match.when === undefined || holds(match.when, scope))
  )
}

function holds(condition: string, scope: JsonObject): boolean {
  try {
    return compileExpression(condition).evaluate(scope) === true
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}

function mapInputs(rule: TriggerRule, scope: JsonObject): JsonObject {
  try {
    return Object.fromEntries(Object.entries(rule.inputs).map(([name, value]) => [name, renderValue(value, scope)]))
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new DomainError(error.code, `rule ${rule.name}: ${error.message}`, error.details, { cause: error })
  }
}
