import type { BrokenPolicy, LayerPolicies, Policy } from './layer.ts'
import type { PolicyRule } from './schema.ts'
import { loosens } from './strictness.ts'
import type { PolicyLayer } from './types.ts'

type Layers = Record<PolicyLayer, LayerPolicies>

/**
 * Names of policies by which a change may have loosened something: all but those of which it is certain that they are at least as
 * strict as before. What took the place of a stricter policy in a layer below counts too.
 */
export function loosenedBy(before: Layers, after: Layers): Set<string> {
  const known = overriding(before)
  return new Set([
    ...(['pack', 'overlay', 'console'] as const).flatMap((layer) => [
      ...weakened(before[layer], after[layer]),
      ...newlyLetting(before[layer], after[layer]),
    ]),
    ...[...overriding(after)].filter(([key]) => !known.has(key)).map(([, name]) => name),
  ])
}

/** Returns the names whose demands were weakened. */
function weakened(before: LayerPolicies, after: LayerPolicies): string[] {
  return before.policies.filter((policy) => demands(policy) && !isStillEnforced(policy, after)).map(({ name }) => name)
}

/** A policy that only lets through demands nothing, so that nothing is laxer without it. */
function demands({ rules }: Policy): boolean {
  return rules.some(({ effect, require_note }) => effect !== 'allow_auto' || require_note !== undefined)
}

function isStillEnforced(policy: Policy, { policies, broken }: LayerPolicies): boolean {
  const same = policies.filter(({ name, pack }) => name === policy.name && pack === policy.pack)
  const doubted = broken.filter(({ name }) => name === undefined || name === policy.name)
  return [...same, ...doubted.map(asRuling)].some((next) => !loosens(policy, next))
}

/** A broken policy demands an approval wherever it may apply. */
function asRuling({ scope }: BrokenPolicy): { scope: BrokenPolicy['scope']; rules: PolicyRule[] } {
  return { scope, rules: [{ effect: 'require_hitl', reason: '', channels: [] }] }
}

/** Returns the names that now let through where an environment's default may demand an approval. */
function newlyLetting(before: LayerPolicies, after: LayerPolicies): string[] {
  const known = new Set(before.policies.map(lettingText))
  return after.policies.filter((policy) => lets(policy) && !known.has(lettingText(policy))).map(({ name }) => name)
}

function lets({ rules }: Policy): boolean {
  return rules.every(({ effect }) => effect === 'allow_auto' || effect === 'require_dry_run')
}

function lettingText({ name, pack, scope, rules }: Policy): string {
  return JSON.stringify([name, pack ?? '', scope, rules.map(({ effect }) => effect)])
}

/** Policies that took the place of one in a layer below and may be laxer. Console policies are taken as attached: somewhere they may be. */
function overriding(layers: Layers): Map<string, string> {
  const order = ['pack', 'overlay', 'console'] as const
  const found = order.flatMap((layer, place) => {
    const below = order.slice(0, place).flatMap((lower) => layers[lower].policies)
    return layers[layer].policies
      .filter((policy) => below.some((lower) => lower.name === policy.name && loosens(lower, policy)))
      .map(({ name }): [string, string] => [JSON.stringify([layer, name]), name])
  })
  return new Map(found)
}
