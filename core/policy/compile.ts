import { brokenContribution, type Contribution, coversAll, isPlain, soundContribution, textOf } from './contribution.ts'
import type { PolicyLayers } from './layer.ts'
import { type MergedPolicies, mergePolicies } from './merge.ts'
import { askingOnly } from './plan-subjects.ts'
import { createScopeIndex, knownClass } from './scope-index.ts'
import { rankOf, strictestNote } from './strictness.ts'
import {
  EFFECTS,
  type Effect,
  type NoteRule,
  type PolicyOverride,
  type PolicySet,
  type PolicySubject,
  type PolicyVerdict,
} from './types.ts'

export interface CompileInput {
  layers: PolicyLayers
  /** its attach-list selects the console policies that apply */
  environment: { name: string; class: string; policies: string[] }
}

/** A policy set that can explain its origin. */
export interface CompiledPolicies extends PolicySet {
  readonly merged: MergedPolicies
}

/** A contribution with its text in the snapshot, which also sorts it. */
interface Entry extends Contribution {
  text: string
}

const ALLOW = rankOf('allow_auto')

/** Merges and indexes the policies of one environment. The set is immutable; deciding is pure. */
export function compilePolicies(input: CompileInput, deps: { hash: (text: string) => string }): CompiledPolicies {
  const merged = mergePolicies(input.layers, input.environment.policies)
  const contributions = [
    ...merged.policies.map(soundContribution),
    ...merged.broken.map(brokenContribution),
    // an uncertain rule lets nothing through
    ...merged.broken.flatMap(({ last = [] }) => last.flatMap(askingOnly)).map(soundContribution),
  ]
  const entries = contributions
    .map((contribution): Entry => ({ ...contribution, text: textOf(contribution) }))
    .sort(byText)
  const index = createScopeIndex(entries.map((entry) => entry.scope))
  const overridden = indexOverrides(merged.overrides)
  // every decision reads the ranks of all entries, so they are contiguous in memory
  const ranks = Uint8Array.from(entries, (entry) => entry.asking.rank)
  const coverings = entries.map((entry) => entry.covering)
  const soles = entries.map((entry) => (entry.matched.length === 1 ? entry.matched[0] : undefined))
  const plain = Uint8Array.from(entries, (entry) => (isPlain(entry) ? 1 : 0))
  const snapshot_hash = deps.hash(entries.map((entry) => entry.text).join('\n'))

  /** Judges one subject. Fills `touched` with the entries that it touches, as twice their position, plus one where they let it through. */
  function judge(subject: PolicySubject, touched: number[]): number {
    let rank = ALLOW
    let isLet = false
    for (const position of index.matching(subject)) {
      const covering = coverings[position]
      const lets = covering !== undefined && coversAll(covering, subject)
      if (lets) isLet = true
      rank = Math.min(rank, ranks[position] ?? 0)
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
        const position = mark >>> 1
        const lets = (mark & 1) === 1
        const sole = soles[position]
        if (sole !== undefined && (lets || ranks[position] !== ALLOW)) verdict.matched.push(sole)
        if (plain[position] === 1) continue
        const entry = entries[position]
        if (entry === undefined) continue
        const { matched, channels } = lets ? entry : entry.asking
        if (sole === undefined) for (const match of matched) verdict.matched.push(match)
        addNew(verdict.channels, channels)
        verdict.dry_run ||= entry.dry_run
        for (const clause of entry.approval_roles) verdict.approval_roles.push([...clause])
        if (entry.require_note !== undefined) note = strictestNote([note, entry.require_note])
        if (entry.prevent_self) verdict.prevent_self = true
        if (entry.min_approvals > (verdict.min_approvals ?? 0)) verdict.min_approvals = entry.min_approvals
        if (entry.broken !== undefined) addNew(verdict.broken_policies, [entry.broken])
      }
      if (note !== undefined) verdict.require_note = note
      const overrides = overridden([subject, ...others])
      if (overrides.length > 0) verdict.overrides = overrides
      return verdict
    },
  }
}

/** The effect where no policy lets the whole subject through (spec section 2): people decide in production. */
function defaultEffect(subject: Pick<PolicySubject, 'environment_class'>): Effect {
  return knownClass(subject) === 'production' ? 'require_hitl' : 'allow_auto'
}

/** Merges both lists in order; an entry that lets through in either does. */
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

function byText(a: Entry, b: Entry): number {
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0
}

function addNew(list: string[], values: readonly string[]): void {
  for (const value of values) {
    if (!list.includes(value)) list.push(value)
  }
}
