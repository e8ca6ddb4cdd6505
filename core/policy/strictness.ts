import type { PolicyRule, PolicyScope } from './schema.ts'
import { EFFECTS, type Effect, NOTE_RULES, type NoteRule } from './types.ts'

/** Returns the rank in the order of strictness: 0 is the strictest. An unknown effect counts as the strictest. */
export function rankOf(effect: Effect): number {
  return Math.max(0, EFFECTS.indexOf(effect))
}

/** The most restrictive of one or more effects. */
export function strictest(first: Effect, ...others: Effect[]): Effect {
  return others.reduce((strict, effect) => (rankOf(effect) < rankOf(strict) ? effect : strict), first)
}

/** The note rule that demands most; undefined when there is none. */
export function strictestNote(rules: readonly (NoteRule | undefined)[]): NoteRule | undefined {
  return NOTE_RULES.find((rule) => rules.includes(rule))
}

export interface Ruling {
  scope: PolicyScope
  rules: PolicyRule[]
}

/**
 * True unless `next` is certainly at least as strict as `previous`: it demands all that `previous` demanded in the same places, and lets
 * through nothing that `previous` did not.
 */
export function loosens(previous: Ruling, next: Ruling): boolean {
  const asked = previous.rules.filter((rule) => rule.effect !== 'allow_auto')
  const isKept =
    asked.every((rule) => next.rules.some((each) => isAsStrict(each, rule))) &&
    isNoteAsStrict(next.rules, previous.rules)
  const asksNothing = asked.length === 0 && notesOf(previous) === undefined
  if (!asksNothing && !(isKept && covers(next.scope, previous.scope))) return true
  return next.rules.every(letsThrough) && !covers(previous.scope, next.scope)
}

/** A successful dry run lets through too: where it covers the whole step, no approval is needed by default. */
export function letsThrough({ effect }: Pick<PolicyRule, 'effect'>): boolean {
  return effect === 'allow_auto' || effect === 'require_dry_run'
}

/** Like a role, it counts on rules that ask a person. */
export function forbidsSelf({ effect, prevent_self }: Pick<PolicyRule, 'effect' | 'prevent_self'>): boolean {
  return effect === 'require_hitl' && prevent_self === true
}

/** How many people a rule asks for; 0 where it says nothing of that, or asks nobody. */
export function approvalsOf({ effect, min_approvals = 0 }: Pick<PolicyRule, 'effect' | 'min_approvals'>): number {
  return effect === 'require_hitl' ? min_approvals : 0
}

function notesOf({ rules }: Pick<Ruling, 'rules'>): NoteRule | undefined {
  return strictestNote(rules.map((rule) => rule.require_note))
}

function isAsStrict(next: PolicyRule, previous: PolicyRule): boolean {
  if (next.effect === 'deny') return true
  if (previous.effect === 'require_dry_run') return next.effect === 'require_dry_run'
  if (forbidsSelf(previous) && !forbidsSelf(next)) return false
  if (approvalsOf(previous) > Math.max(1, approvalsOf(next))) return false
  if (previous.approval_role !== undefined && previous.effect === 'require_hitl') {
    return next.effect === 'require_hitl' && next.approval_role === previous.approval_role
  }
  return rankOf(next.effect) <= rankOf(previous.effect)
}

/** Where everything is denied there is no gate, so no note either. */
function isNoteAsStrict(next: PolicyRule[], previous: PolicyRule[]): boolean {
  if (next.some((rule) => rule.effect === 'deny')) return true
  const [asked, kept] = [notesOf({ rules: previous }), notesOf({ rules: next })]
  return asked === undefined || strictestNote([asked, kept]) === kept
}

function covers(wide: PolicyScope, narrow: PolicyScope): boolean {
  return (
    includesAll(wide.environments, narrow.environments) &&
    includesAll(wide.risks, narrow.risks) &&
    includesAll(wide.action_types, narrow.action_types) &&
    includesAll(wide.capabilities, narrow.capabilities)
  )
}

/** An empty whitelist filters nothing, so it covers all and only an empty one covers it. */
function includesAll(wide: string[], narrow: string[]): boolean {
  if (wide.length === 0) return true
  return narrow.length > 0 && narrow.every((value) => wide.includes(value))
}
