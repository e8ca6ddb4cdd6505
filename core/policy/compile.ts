import { type BrokenPolicy, type Policy, type PolicyLayers, problemText } from './layer.ts'
import { type MergedPolicies, mergePolicies } from './merge.ts'
import type { PolicyScope } from './schema.ts'
import { createScopeIndex, knownClass } from './scope-index.ts'
import { letsThrough, rankOf, strictestNote } from './strictness.ts'
import {
  EFFECTS,
  type Effect,
  type NoteRule,
  type PolicyMatch,
  type PolicyOverride,
  type PolicySet,
  type PolicySubject,
  type PolicyVerdict,
} from './types.ts'

export interface CompileInput {
  layers: PolicyLayers
  /** the environment whose attach-list says which console policies count */
  environment: { name: string; class: string; policies: string[] }
}

/** A policy set that can also say how it came about. */
export interface CompiledPolicies extends PolicySet {
  readonly merged: MergedPolicies
}

/** What one policy contributes wherever its scope is touched, worked out before the first decision. */
interface Contribution {
  scope: PolicyScope
  /** all of its rules, in their order */
  matched: PolicyMatch[]
  channels: string[]
  /** those of its rules that ask for something: one touched value is enough for them */
  asking: { matched: PolicyMatch[]; channels: string[]; rank: number }
  /** what it takes to let through: to cover everything. Absent where no rule lets through */
  covering: Covering | undefined
  dry_run: boolean
  approval_roles: string[][]
  require_note: NoteRule | undefined
  broken: string | undefined
}

/** The lists of a scope that must hold every value of a subject; absent where nothing is filtered. */
interface Covering {
  action_types: ReadonlySet<string> | undefined
  capabilities: ReadonlySet<string> | undefined
}

/** A contribution with the text that stands for it in the snapshot and orders it. */
interface Entry extends Contribution {
  text: string
}

const ALLOW = rankOf('allow_auto')

/** Merges and indexes the policies of one environment. The set is immutable; deciding is pure. */
export function compilePolicies(input: CompileInput, deps: { hash: (text: string) => string }): CompiledPolicies {
  const merged = mergePolicies(input.layers, input.environment.policies)
  const contributions = [...merged.policies.map(soundContribution), ...merged.broken.map(brokenContribution)]
  const entries = contributions
    .map((contribution): Entry => ({ ...contribution, text: textOf(contribution) }))
    .sort(byText)
  const index = createScopeIndex(entries.map((entry) => entry.scope))
  const overridden = indexOverrides(merged.overrides)
  const snapshot_hash = deps.hash(entries.map((entry) => entry.text).join('\n'))

  /** Judges one subject. Fills `touched` with the entries that it touches, as twice their position, plus one where they let it through. */
  function judge(subject: PolicySubject, touched: number[]): number {
    let rank = ALLOW
    let isLet = false
    for (const position of index.matching(subject)) {
      const entry = entries[position]
      if (entry === undefined) continue
      const lets = entry.covering !== undefined && coversAll(entry.covering, subject)
      if (lets) isLet = true
      if (entry.asking.rank < rank) rank = entry.asking.rank
      touched.push(lets ? 2 * position + 1 : 2 * position)
    }
    return isLet ? rank : Math.min(rank, rankOf(defaultEffect(subject)))
  }

  return {
    merged,
    snapshot_hash,
    decide(subject, ...others) {
      let touched: number[] = []
      let rank = judge(subject, touched)
      for (const other of others) {
        const more: number[] = []
        rank = Math.min(rank, judge(other, more))
        touched = union(touched, more)
      }
      const verdict: PolicyVerdict = {
        effect: EFFECTS[rank] ?? 'deny',
        matched: [],
        dry_run: false,
        approval_roles: [],
        channels: [],
        broken_policies: [],
        snapshot_hash,
      }
      let note: NoteRule | undefined
      for (const mark of touched) {
        const entry = entries[mark >>> 1]
        if (entry === undefined) continue
        const { matched, channels } = (mark & 1) === 1 ? entry : entry.asking
        for (const match of matched) verdict.matched.push(match)
        addNew(verdict.channels, channels)
        verdict.dry_run ||= entry.dry_run
        for (const clause of entry.approval_roles) verdict.approval_roles.push([...clause])
        if (entry.require_note !== undefined) note = strictestNote([note, entry.require_note])
        if (entry.broken !== undefined) addNew(verdict.broken_policies, [entry.broken])
      }
      if (note !== undefined) verdict.require_note = note
      const overrides = overridden([subject, ...others])
      if (overrides.length > 0) verdict.overrides = overrides
      return verdict
    },
  }
}

/** The effect where no policy lets through all that the subject is (spec section 2): people decide in production. */
function defaultEffect(subject: Pick<PolicySubject, 'environment_class'>): Effect {
  return knownClass(subject) === 'production' ? 'require_hitl' : 'allow_auto'
}

/** The index finds what is touched, which for a subject of one value is what is covered; the rest is asked here, of few. */
function coversAll(covering: Covering, subject: PolicySubject): boolean {
  return holdsAll(covering.action_types, subject.action_types) && holdsAll(covering.capabilities, subject.capabilities)
}

function holdsAll(whitelist: ReadonlySet<string> | undefined, values: readonly string[]): boolean {
  if (whitelist === undefined || values.length === 1) return true
  return values.every((value) => whitelist.has(value.normalize('NFC')))
}

/** Both lists in one order; what lets through in either does. */
function union(a: readonly number[], b: readonly number[]): number[] {
  const all: number[] = []
  let [left, right] = [0, 0]
  for (;;) {
    const [x, y] = [a[left], b[right]]
    if (x === undefined && y === undefined) return all
    if (y === undefined || (x !== undefined && x >>> 1 < y >>> 1)) {
      all.push(x ?? 0)
      left++
    } else if (x === undefined || y >>> 1 < x >>> 1) {
      all.push(y)
      right++
    } else {
      all.push(x | y)
      left++
      right++
    }
  }
}

/** Finds the overrides that make a difference to any of the subjects. */
function indexOverrides(
  overrides: MergedPolicies['overrides'],
): (subjects: readonly PolicySubject[]) => PolicyOverride[] {
  if (overrides.length === 0) return () => []
  const scopes = overrides.flatMap((each) => each.scopes.map((scope) => ({ scope, fact: each.fact })))
  const index = createScopeIndex(scopes.map(({ scope }) => scope))
  return (subjects) => {
    const found = new Set(subjects.flatMap((subject) => index.matching(subject)))
    return [...new Set([...found].sort((a, b) => a - b).flatMap((at) => scopes[at]?.fact ?? []))]
  }
}

function soundContribution({ name, layer, scope, rules }: Policy): Contribution {
  const asking = rules.filter((rule) => rule.effect !== 'allow_auto')
  const matchesOf = (some: Policy['rules']): PolicyMatch[] =>
    some.map((rule) => Object.freeze({ name, layer, effect: rule.effect, reason: rule.reason }))
  const roles = rules.flatMap((rule) =>
    rule.effect === 'require_hitl' && rule.approval_role ? [rule.approval_role] : [],
  )
  return {
    scope,
    matched: matchesOf(rules),
    channels: rules.flatMap((rule) => rule.channels),
    asking: {
      matched: matchesOf(asking),
      channels: asking.flatMap((rule) => rule.channels),
      rank: Math.min(ALLOW, ...asking.map((rule) => rankOf(rule.effect))),
    },
    covering: rules.some(letsThrough) ? coveringOf(scope) : undefined,
    dry_run: rules.some((rule) => rule.effect === 'require_dry_run'),
    approval_roles: roles.map((role) => [role]),
    // a note is asked for, also where the rule that asks lets through
    require_note: strictestNote(rules.map((rule) => rule.require_note)),
    broken: undefined,
  }
}

function coveringOf({ action_types, capabilities }: PolicyScope): Covering {
  const listed = (values: readonly string[]) =>
    values.length === 0 ? undefined : new Set(values.map((value) => value.normalize('NFC')))
  return { action_types: listed(action_types), capabilities: listed(capabilities) }
}

/** Shown like a policy that requires a person, with what is wrong as its reason. */
function brokenContribution({ label, layer, source, scope, problems }: BrokenPolicy): Contribution {
  const reason = `broken policy: ${problems.map((problem) => problemText(source, problem)).join('; ')}`
  const matched = [Object.freeze({ name: label, layer, effect: 'require_hitl' as const, reason })]
  return {
    scope,
    matched,
    channels: [],
    asking: { matched, channels: [], rank: rankOf('require_hitl') },
    covering: undefined,
    dry_run: false,
    approval_roles: [],
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
