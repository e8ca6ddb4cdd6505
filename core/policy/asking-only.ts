import type { Policy } from './layer.ts'

/** A policy without what lets a step through; none when nothing is left of it. */
export function askingOnly(policy: Policy): Policy[] {
  const rules = policy.rules.filter((rule) => rule.effect !== 'allow_auto')
  return rules.length === 0 ? [] : [{ ...policy, rules }]
}
