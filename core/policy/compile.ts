import { type BrokenPolicy, type Policy, type PolicyLayers, problemText } from './layer.ts'
import { type MergedPolicies, mergePolicies } from './merge.ts'
import type { PolicyScope } from './schema.ts'
import { createScopeIndex, knownClass } from './scope-index.ts'
import { strictest, strictestNote } from './strictness.ts'
import type { Effect, NoteRule, PolicyMatch, PolicySet, PolicySubject, PolicyVerdict } from './types.ts'

export interface CompileInput {
  layers: PolicyLayers
  /** the environment whose attach-list says which console policies count */
  environment: { name: string; class: string; policies: string[] }
}

/** A policy set that can also say how it came about. */
export interface CompiledPolicies extends PolicySet {
  readonly merged: MergedPolicies
}

/** What one policy contributes wherever its scope matches, worked out before the first decision. */
interface Contribution {
  scope: PolicyScope
  effect: Effect
  matched: PolicyMatch[]
  dry_run: boolean
  approval_roles: string[][]
  channels: string[]
  require_note: NoteRule | undefined
  broken: string | undefined
}

/** A contribution with the text that stands for it in the snapshot and orders it. */
interface Entry extends Contribution {
  text: string
}

/** Merges and indexes the policies of one environment. The set is immutable; deciding is pure. */
export function compilePolicies(input: CompileInput, deps: { hash: (text: string) => string }): CompiledPolicies {
  const merged = mergePolicies(input.layers, input.environment.policies)
  const contributions = [...merged.policies.map(soundContribution), ...merged.broken.map(brokenContribution)]
  const entries = contributions
    .map((contribution): Entry => ({ ...contribution, text: textOf(contribution) }))
    .sort(byText)
  const index = createScopeIndex(entries.map((entry) => entry.scope))
  const snapshot_hash = deps.hash(entries.map((entry) => entry.text).join('\n'))

  return {
    merged,
    snapshot_hash,
    decide(subject) {
      const verdict: PolicyVerdict = {
        effect: defaultEffect(subject),
        matched: [],
        dry_run: false,
        approval_roles: [],
        channels: [],
        broken_policies: [],
        snapshot_hash,
      }
      let effect: Effect | undefined
      let note: NoteRule | undefined
      for (const position of index.matching(subject)) {
        const contribution = entries[position]
        if (contribution === undefined) continue
        effect = effect === undefined ? contribution.effect : strictest(effect, contribution.effect)
        verdict.dry_run ||= contribution.dry_run
        for (const match of contribution.matched) verdict.matched.push(match)
        for (const clause of contribution.approval_roles) verdict.approval_roles.push([...clause])
        addNew(verdict.channels, contribution.channels)
        note = strictestNote([note, contribution.require_note])
        if (contribution.broken !== undefined) addNew(verdict.broken_policies, [contribution.broken])
      }
      verdict.effect = effect ?? verdict.effect
      if (note !== undefined) verdict.require_note = note
      return verdict
    },
  }
}

/** The effect when no policy matches (spec section 2): people decide in production. */
function defaultEffect(subject: Pick<PolicySubject, 'environment_class'>): Effect {
  return knownClass(subject) === 'production' ? 'require_hitl' : 'allow_auto'
}

function soundContribution({ name, layer, scope, rules }: Policy): Contribution {
  const roles = rules.flatMap((rule) =>
    rule.effect === 'require_hitl' && rule.approval_role ? [rule.approval_role] : [],
  )
  return {
    scope,
    effect: rules.map((rule) => rule.effect).reduce((strict, effect) => strictest(strict, effect)),
    matched: rules.map((rule) => Object.freeze({ name, layer, effect: rule.effect, reason: rule.reason })),
    dry_run: rules.some((rule) => rule.effect === 'require_dry_run'),
    approval_roles: roles.map((role) => [role]),
    channels: rules.flatMap((rule) => rule.channels),
    require_note: strictestNote(rules.map((rule) => rule.require_note)),
    broken: undefined,
  }
}

/** Shown like a policy that requires a person, with what is wrong as its reason. */
function brokenContribution({ label, layer, source, scope, problems }: BrokenPolicy): Contribution {
  const reason = `broken policy: ${problems.map((problem) => problemText(source, problem)).join('; ')}`
  return {
    scope,
    effect: 'require_hitl',
    matched: [Object.freeze({ name: label, layer, effect: 'require_hitl', reason })],
    dry_run: false,
    approval_roles: [],
    channels: [],
    require_note: undefined,
    broken: label,
  }
}

/** Equal sets give equal snapshots, in whatever order files and packs were read. */
function textOf({ scope, matched, approval_roles, channels, require_note, broken }: Contribution): string {
  const rules = matched.map(({ name, layer, effect, reason }) => [name, layer, effect, reason])
  const whitelists = [scope.environments, scope.risks, scope.action_types, scope.capabilities]
  return JSON.stringify([
    rules,
    whitelists.map((values) => [...values].sort()),
    approval_roles,
    channels,
    broken ?? null,
    ...(require_note === undefined ? [] : [require_note]),
  ])
}

function byText(a: Entry, b: Entry): number {
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0
}

function addNew(list: string[], values: readonly string[]): void {
  for (const value of values) {
    if (!list.includes(value)) list.push(value)
  }
}
