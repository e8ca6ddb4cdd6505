import { checkCondition, checkValue } from '../plan/check-value.ts'
import type { Fault } from '../plan/fault.ts'
import { ALERT_MEMBERS } from './alert.ts'
import type { RuleSpec } from './rule-schema.ts'

type RuleLayer = 'console' | 'overlay' | 'pack'

/** A valid rule and its source. Durations are in milliseconds. */
export interface TriggerRule extends RuleSpec {
  layer: RuleLayer
  /** the file, or who wrote it in the console */
  origin: string
  /** everyone who has written it in the console */
  authors?: readonly string[]
  pack?: string
}

const LAYER_ORDER: RuleLayer[] = ['console', 'overlay', 'pack']

/** The order in which rules are tried: console, overlay, packs; inside a layer as given. */
export function orderRules(rules: readonly TriggerRule[]): TriggerRule[] {
  return LAYER_ORDER.flatMap((layer) => rules.filter((rule) => rule.layer === layer))
}

/** Returns every fault in the expressions of a rule; `path` leads to the rule in its file. */
export function checkRule(rule: RuleSpec, path: (string | number)[]): Fault[] {
  const names = { variables: new Map([['alert', ALERT_MEMBERS]]) }
  const condition =
    rule.match.when === undefined ? [] : checkCondition(rule.match.when, [...path, 'match', 'when'], names)
  return [...condition, ...checkValue(rule.inputs, [...path, 'inputs'], names)]
}
