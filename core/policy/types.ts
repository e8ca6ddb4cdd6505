/** Effects of a policy rule, strictest first (spec section 2). */
export const EFFECTS = ['deny', 'require_hitl', 'require_dry_run', 'allow_auto'] as const
export type Effect = (typeof EFFECTS)[number]

export const RISKS = ['low', 'medium', 'high'] as const
export type Risk = (typeof RISKS)[number]

export function highestRisk(first: Risk, ...others: readonly Risk[]): Risk {
  return others.reduce((highest, risk) => (RISKS.indexOf(risk) > RISKS.indexOf(highest) ? risk : highest), first)
}

/** Which decisions on a gate need a note, strictest first. */
export const NOTE_RULES = ['always', 'reject'] as const
export type NoteRule = (typeof NOTE_RULES)[number]

/** Layers in merge order: a later one overrides an earlier one by name. */
export type PolicyLayer = 'pack' | 'overlay' | 'console'

/** The subject of a decision: one step in one environment, or the union of a whole plan at admission. */
export interface PolicySubject {
  environment: string
  environment_class: string
  risk: Risk
  action_types: string[]
  capabilities: string[]
}

export interface PolicyMatch {
  name: string
  layer: PolicyLayer
  effect: Effect
  reason: string
}

/** An override of policies of the same name in lower layers. */
export interface PolicyOverride {
  name: string
  layer: PolicyLayer
  /** its file, or the console policy */
  source: string
  /** only in the layer `console` */
  author?: string
  replaces: { layer: PolicyLayer; source: string }[]
  /** true unless it is certain to be at least as strict as all that it replaces */
  loosens: boolean
}

/** The verdict with everything that led to it. `effect` is the strictest of all matches, or the default of the environment's class. */
export interface PolicyVerdict {
  effect: Effect
  matched: PolicyMatch[]
  /** true when a matching rule asks for a dry run, also when a stricter effect outranks it */
  dry_run: boolean
  /** one clause per matching `require_hitl` rule that names a role: all of them must be satisfied (AND of ORs) */
  approval_roles: string[][]
  channels: string[]
  /** the strictest of all matching rules; absent when none requires notes */
  require_note?: NoteRule
  /** a matching `require_hitl` rule keeps everyone who shaped the run from approving it */
  prevent_self?: true
  /** the most that a matching `require_hitl` rule asks for; absent when none does */
  min_approvals?: number
  /** names of broken policies, broken files and dangling attachments that turned the gate on here */
  broken_policies: string[]
  /** overrides here: the new scope or a replaced one is touched; absent when there is none */
  overrides?: PolicyOverride[]
  /** digest of the effective policy set that decided */
  snapshot_hash: string
}

/** An immutable, indexed set of policies; deciding never does I/O. */
export interface PolicySet {
  readonly snapshot_hash: string
  /** Judges every subject; the strictest verdict wins, with the demands of all. */
  decide(subject: PolicySubject, ...others: PolicySubject[]): PolicyVerdict
}

/** Gives the effective policies of a workspace and environment; cached by digest, refreshed behind the caller's back. */
export interface PolicySource {
  effective(workspaceId: string, environment: { name: string; class: string; policies: string[] }): Promise<PolicySet>
}
