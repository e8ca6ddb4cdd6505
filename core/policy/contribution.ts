import { type BrokenPolicy, type Policy, problemText } from './layer.ts'
import type { PolicyScope } from './schema.ts'
import { approvalsOf, forbidsSelf, letsThrough, rankOf, strictestNote } from './strictness.ts'
import type { NoteRule, PolicyMatch, PolicySubject } from './types.ts'

/** The effect of one policy where its scope is touched, computed before the first decision. */
export interface Contribution {
  scope: PolicyScope
  /** all of its rules, in their order */
  matched: PolicyMatch[]
  channels: string[]
  /** rules that demand something: one touched value is enough for them */
  asking: { matched: PolicyMatch[]; channels: string[]; rank: number }
  /** requirement for letting through: covering everything. Absent where no rule lets through */
  covering: Covering | undefined
  dry_run: boolean
  approval_roles: string[][]
  require_note: NoteRule | undefined
  prevent_self: boolean
  /** 0 when no rule names a number */
  min_approvals: number
  broken: string | undefined
}

/** Nothing but one rule with its reason. */
export function isPlain(entry: Contribution): boolean {
  const { matched, channels, dry_run, approval_roles, require_note, prevent_self, min_approvals, broken } = entry
  const asks =
    dry_run ||
    approval_roles.length > 0 ||
    require_note !== undefined ||
    prevent_self ||
    min_approvals > 0 ||
    broken !== undefined
  return matched.length === 1 && channels.length === 0 && !asks
}

/** The lists of a scope that must contain every value of a subject; absent where nothing is filtered. */
interface Covering {
  action_types: ReadonlySet<string> | undefined
  capabilities: ReadonlySet<string> | undefined
}

/** The index finds the touched scopes, and for a subject of one value these are covered; the rest is checked here. */
export function coversAll(covering: Covering, subject: PolicySubject): boolean {
  return holdsAll(covering.action_types, subject.action_types) && holdsAll(covering.capabilities, subject.capabilities)
}

function holdsAll(whitelist: ReadonlySet<string> | undefined, values: readonly string[]): boolean {
  if (whitelist === undefined || values.length === 1) return true
  return values.every((value) => whitelist.has(value.normalize('NFC')))
}

export function soundContribution({ name, layer, scope, rules }: Policy): Contribution {
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
      rank: Math.min(rankOf('allow_auto'), ...asking.map((rule) => rankOf(rule.effect))),
    },
    covering: rules.some(letsThrough) ? coveringOf(scope) : undefined,
    dry_run: rules.some((rule) => rule.effect === 'require_dry_run'),
    approval_roles: roles.map((role) => [role]),
    // a note is also required where the rule that requires it lets through
    require_note: strictestNote(rules.map((rule) => rule.require_note)),
    prevent_self: rules.some(forbidsSelf),
    min_approvals: Math.max(0, ...rules.map(approvalsOf)),
    broken: undefined,
  }
}

function coveringOf({ action_types, capabilities }: PolicyScope): Covering {
  const listed = (values: readonly string[]) =>
    values.length === 0 ? undefined : new Set(values.map((value) => value.normalize('NFC')))
  return { action_types: listed(action_types), capabilities: listed(capabilities) }
}

/** Shown like a policy that requires a person, with its fault as the reason. */
export function brokenContribution({ label, layer, source, scope, problems }: BrokenPolicy): Contribution {
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
    prevent_self: false,
    min_approvals: 0,
    broken: label,
  }
}

/** Equal sets give equal snapshots, whatever the order of files and packs. */
export function textOf(entry: Contribution): string {
  const { scope, matched, approval_roles, channels, require_note, prevent_self, min_approvals, broken } = entry
  const rules = matched.map(({ name, layer, effect, reason }) => [name, layer, effect, reason])
  const whitelists = [scope.environments, scope.risks, scope.action_types, scope.capabilities]
  return JSON.stringify([
    rules,
    whitelists.map((values) => [...values].sort()),
    approval_roles,
    channels,
    broken ?? null,
    ...(require_note === undefined ? [] : [require_note]),
    ...(prevent_self ? ['prevent_self'] : []),
    ...(min_approvals > 0 ? [min_approvals] : []),
  ])
}
