import { ENVIRONMENT_CLASSES } from '../environment/environment.ts'
import { checkPolicyNames } from '../names/check-policy-names.ts'
import type { PolicyNames } from '../names/known-names.ts'
import { nearestName } from '../text/did-you-mean.ts'
import { hasName } from '../text/text.ts'
import type { BrokenPolicy, LayerPolicies, Policy } from './layer.ts'

/**
 * Marks policies as broken whose names do not exist: a policy for a place that does not exist would have no effect. The gate is on in every
 * environment that its scope does not exclude otherwise, and its demands stay in force. An unknown action type that is nearly a known one
 * is replaced by it. `lower` are the layers whose policies this one may override by name.
 */
export function breakUnresolved(
  layer: LayerPolicies,
  names: PolicyNames,
  lower: readonly LayerPolicies[],
): LayerPolicies {
  const replaced = new Set(lower.flatMap(({ policies, broken }) => [...policies, ...broken].map(({ name }) => name)))
  const found = layer.policies.map((policy) => ({
    policy,
    broken: isHarmless(policy, replaced) ? undefined : brokenBy(policy, names),
  }))
  if (found.every(({ broken }) => broken === undefined)) return layer
  return {
    policies: found.flatMap(({ policy, broken }) => (broken === undefined ? [policy] : [])),
    broken: [...layer.broken, ...found.flatMap(({ broken }) => broken ?? [])],
  }
}

/** A rule that only lets through loosens nothing where it does not apply, unless it replaces one that demanded more. */
function isHarmless({ name, rules }: Policy, replaced: ReadonlySet<string | undefined>): boolean {
  return rules.every(({ effect }) => effect === 'allow_auto') && !replaced.has(name)
}

function brokenBy(policy: Policy, names: PolicyNames): BrokenPolicy | undefined {
  const { scope, rules: _rules, author: _author, ...rest } = policy
  const known = { ...names, profiles: [], templates: new Map(), connections: [] }
  const problems = checkPolicyNames({ scope, rules: [] }, [], known)
    .filter(({ warning }) => warning !== true)
    .map(({ path, message }) => ({ path, message }))
  if (problems.length === 0) return undefined
  const places: readonly string[] = [...names.environments, ...ENVIRONMENT_CLASSES]
  const isPlaced = scope.environments.every((name) => places.includes(name))
  return {
    ...rest,
    label: policy.name,
    scope: {
      ...scope,
      environments: isPlaced ? scope.environments : [],
      action_types: scope.action_types.map((name) => meant(name, names.action_types)),
      capabilities: scope.capabilities.map((name) => meant(name, names.capabilities)),
    },
    problems,
    last: [policy],
  }
}

function meant(name: string, known: readonly string[]): string {
  return hasName(known, name) ? name : (nearestName(name, known) ?? name)
}
