import type { BrokenPolicy, LayerPolicies, Policy, PolicyLayers } from './layer.ts'
import { EVERYWHERE, type PolicyScope } from './schema.ts'
import { loosens, type Ruling } from './strictness.ts'
import type { PolicyOverride, PolicyVerdict } from './types.ts'

/** An override, with the scopes where it makes a difference: its own and those of the replaced policies. */
interface ScopedOverride {
  fact: PolicyOverride
  scopes: PolicyScope[]
}

/** The policies in force in one environment. */
export interface MergedPolicies {
  policies: Policy[]
  broken: BrokenPolicy[]
  overrides: ScopedOverride[]
  warnings: string[]
}

/** Merges the layers, last wins by name. Console policies count only when `attached` names them; nothing broken ever replaces anything. */
export function mergePolicies(layers: PolicyLayers, attached: string[]): MergedPolicies {
  const names = new Set(attached.map((name) => name.normalize('NFC')))
  const merged: MergedPolicies = { policies: [], broken: [], overrides: [], warnings: [] }
  const byName = new Map<string, Policy[]>()

  for (const layer of [layers.pack, layers.overlay, attachedOnly(layers.console, names)]) {
    const { policies, broken } = breakDuplicates(layer)
    const groups = groupByName(policies)
    for (const [name, group] of groups) {
      const below = [...(byName.get(name) ?? []), ...merged.broken.filter((lower) => lower.name === name)]
      for (const policy of group) {
        if (below.length > 0) merged.overrides.push(override(policy, below))
      }
      if (group.length > 1) merged.warnings.push(duplicateNameText(name, group))
      byName.set(name, group)
    }
    merged.broken = merged.broken.filter((lower) => lower.name === undefined || !groups.has(lower.name))
    merged.broken.push(...broken)
  }
  merged.policies = [...byName.values()].flat()
  merged.broken.push(...dangling(layers.console, names))
  return merged
}

function attachedOnly(console: LayerPolicies, attached: Set<string>): LayerPolicies {
  return {
    policies: console.policies.filter((policy) => attached.has(policy.name)),
    broken: console.broken.filter(({ name }) => (name === undefined ? attached.size > 0 : attached.has(name))),
  }
}

/** Two policies of one name in one layer (or pack) are ambiguous, so both are broken. */
function breakDuplicates(layer: LayerPolicies): LayerPolicies {
  const sources = new Map<string, string[]>()
  for (const policy of [...layer.policies, ...layer.broken]) {
    if (policy.name !== undefined) sources.set(slot(policy), [...(sources.get(slot(policy)) ?? []), policy.source])
  }
  const isDuplicate = (policy: Policy) => (sources.get(slot(policy))?.length ?? 0) > 1
  const duplicates = layer.policies.filter(isDuplicate).map((policy): BrokenPolicy => {
    const message = `the name ${JSON.stringify(policy.name)} is used twice: ${sources.get(slot(policy))?.join(', ')}`
    const { rules: _rules, author: _author, ...rest } = policy
    return { ...rest, label: policy.name, problems: [{ message, path: ['name'] }] }
  })
  return { policies: layer.policies.filter((policy) => !isDuplicate(policy)), broken: [...layer.broken, ...duplicates] }
}

function groupByName(policies: Policy[]): Map<string, Policy[]> {
  const groups = new Map<string, Policy[]>()
  for (const policy of policies) {
    const group = groups.get(policy.name)
    if (group === undefined) groups.set(policy.name, [policy])
    else group.push(policy)
  }
  return groups
}

function slot(policy: { name?: string; pack?: string }): string {
  return JSON.stringify([policy.pack ?? '', policy.name])
}

/** The rule of a broken policy in its scope. */
const ASKS_A_PERSON: Ruling['rules'] = [{ effect: 'require_hitl', reason: '', channels: [] }]

function override(policy: Policy, below: (Policy | BrokenPolicy)[]): ScopedOverride {
  const { name, layer, source, author } = policy
  const rulings = below.map((lower) => ({ scope: lower.scope, rules: 'rules' in lower ? lower.rules : ASKS_A_PERSON }))
  return {
    fact: Object.freeze({
      name,
      layer,
      source,
      ...(author !== undefined && { author }),
      replaces: below.map((lower) => ({ layer: lower.layer, source: lower.source })),
      loosens: rulings.some((lower) => loosens(lower, policy)),
    }),
    scopes: [policy.scope, ...rulings.map(({ scope }) => scope)],
  }
}

function duplicateNameText(name: string, group: Policy[]): string {
  const packs = group.map((policy) => policy.pack ?? policy.source).join(', ')
  return `the policy name ${JSON.stringify(name)} is used by several packs (${packs}): all of them apply`
}

function dangling(console: LayerPolicies, attached: Set<string>): BrokenPolicy[] {
  const known = new Set([...console.policies, ...console.broken].map((policy) => policy.name))
  return [...attached]
    .filter((name) => !known.has(name))
    .map((name) => ({
      label: name,
      name,
      layer: 'console',
      source: 'attach-list',
      scope: EVERYWHERE,
      problems: [{ message: `attached, but there is no console policy ${JSON.stringify(name)}`, path: [] }],
    }))
}

/** Returns why policies deny a step; undefined where none does. */
export function denialOf({ effect, matched }: PolicyVerdict): { code: 'PolicyDenied'; message: string } | undefined {
  if (effect !== 'deny') return undefined
  const denying = matched.filter((match) => match.effect === 'deny')
  return { code: 'PolicyDenied', message: denying.map(({ name, reason }) => `${name}: ${reason}`).join('; ') }
}
