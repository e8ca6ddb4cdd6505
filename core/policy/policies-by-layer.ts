import type { Environment } from '../environment/environment.ts'
import type { BrokenPolicy, Policy, PolicyLayers, PolicyProblem } from './layer.ts'
import { mergePolicies } from './merge.ts'
import type { PolicyRule, PolicyScope } from './schema.ts'
import type { PolicyLayer } from './types.ts'

/** A policy with what became of it where it may count. */
export interface ListedPolicy {
  name: string
  layer: PolicyLayer
  source: string
  pack?: string
  author?: string
  broken: boolean
  applies_to: PolicyScope
  rules: PolicyRule[]
  problems: PolicyProblem[]
  /** it counts somewhere: a policy of files does everywhere, one of the console where an environment attaches it */
  attached: boolean
  /** names of the environments in which it counts: nothing took its place */
  in_force_in: string[]
  /** the policy that overrides it, and where */
  overridden_by: { layer: PolicyLayer; source: string; environments: string[]; loosens: boolean }[]
}

const ORDER: readonly PolicyLayer[] = ['console', 'overlay', 'pack']

/** All policies of all layers, by name, the winning layer first. */
export function policiesByLayer(
  layers: PolicyLayers,
  environments: readonly Pick<Environment, 'name' | 'policies'>[],
): ListedPolicy[] {
  const found = new Map<string, ListedPolicy>()
  const all = ORDER.flatMap((layer) => [...layers[layer].policies, ...layers[layer].broken])
  for (const policy of all) found.set(keyOf(policy), blank(policy))
  for (const environment of environments) {
    const { policies, broken, overrides } = mergePolicies(layers, environment.policies)
    for (const policy of [...policies, ...broken]) {
      const listed = found.get(keyOf(policy)) ?? blank(policy)
      found.set(keyOf(policy), listed)
      listed.in_force_in.push(environment.name)
      // a name that is used twice is known to be broken only now
      if ('problems' in policy) Object.assign(listed, { broken: true, problems: policy.problems })
    }
    for (const { fact } of overrides) {
      for (const lower of fact.replaces) {
        const replaced = all.find(
          (each) => each.layer === lower.layer && each.source === lower.source && each.name === fact.name,
        )
        const listed = replaced && found.get(keyOf(replaced))
        if (listed !== undefined) markOverridden(listed, fact, environment.name)
      }
    }
  }
  return [...found.values()]
    .map((each) => ({ ...each, attached: each.layer !== 'console' || each.in_force_in.length > 0 }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : ORDER.indexOf(a.layer) - ORDER.indexOf(b.layer)))
}

function markOverridden(
  listed: ListedPolicy,
  { layer, source, loosens }: { layer: PolicyLayer; source: string; loosens: boolean },
  environment: string,
): void {
  const known = listed.overridden_by.find((each) => each.layer === layer && each.source === source)
  if (known === undefined) listed.overridden_by.push({ layer, source, environments: [environment], loosens })
  else if (!known.environments.includes(environment)) known.environments.push(environment)
}

function blank(policy: Policy | BrokenPolicy): ListedPolicy {
  const { layer, source, pack, scope } = policy
  const author = 'author' in policy ? policy.author : undefined
  return {
    name: nameOf(policy),
    layer,
    source,
    ...(pack !== undefined && { pack }),
    ...(author !== undefined && { author }),
    broken: 'problems' in policy,
    applies_to: scope,
    rules: 'rules' in policy ? policy.rules : [],
    problems: 'problems' in policy ? policy.problems : [],
    attached: false,
    in_force_in: [],
    overridden_by: [],
  }
}

function nameOf(policy: Policy | BrokenPolicy): string {
  return policy.name ?? ('label' in policy ? policy.label : '')
}

function keyOf(policy: Policy | BrokenPolicy): string {
  return JSON.stringify([policy.layer, policy.source, nameOf(policy)])
}
