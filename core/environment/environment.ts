import type { FreezeWindow } from '../freeze/freeze-window.ts'
import { DEFAULT_WORKSPACE_SLUG } from '../id.ts'
import type { ModelRoles } from '../models/model.ts'
import type { TerminalStatus } from '../run/status.ts'

/** Environment classes; an unknown or misspelt class counts as `production`. */
export const ENVIRONMENT_CLASSES = ['production', 'staging', 'development', 'sandbox'] as const
export type EnvironmentClass = (typeof ENVIRONMENT_CLASSES)[number]

/** What a deployment says about one environment: the caps, policies and reach of the runs in it. */
export interface Environment {
  name: string
  class: EnvironmentClass
  /** names of console-authored policies that apply here */
  policies: string[]
  /** names of the corpora that are searched here; a name counts in the workspaces that have a corpus of it */
  knowledge?: string[]
  cost_gate: { max_usd?: number; daily_usd?: number }
  approval: ApprovalSettings
  /** addresses outside the public internet that operators may reach: CIDR blocks, host names or `loopback` */
  egress: string[]
  /** the profile of runs that name none */
  profile?: string
  /** named connections of this environment: id to a secret reference (`env:NAME`, `file:path`) */
  connections: Record<string, { kind: string; url: string }>
  /** when nothing, or only what its approvers allow, runs here */
  freeze: FreezeWindow[]
  /** slugs of the workspaces whose runs may use it, `*` for all; missing means the default workspace alone */
  workspaces?: string[]
  /** who is told how runs here end, besides those who were asked */
  notify?: NotifySettings
  /** what becomes of a run whose requester may not start it any more: a person is asked (`park`, the default), or it ends */
  on_lost_standing?: OnLostStanding
}

/** Which ends of runs are told to which channels. */
export interface NotifySettings {
  on: TerminalStatus[]
  /** names of channels */
  channels: string[]
}

export const ON_LOST_STANDING = ['park', 'cancel'] as const
export type OnLostStanding = (typeof ON_LOST_STANDING)[number]

/** How the gates of an environment are answered. */
export interface ApprovalSettings {
  ttl_hours?: number
  prevent_self: boolean
  min_approvals: number
  /** after how long an open gate is announced once more */
  remind_after_ms?: number
  /** after how long it goes to `escalate_to` */
  escalate_after_ms?: number
  /** names of channels */
  escalate_to: string[]
  /** names of channels that are told of every gate here, besides those of the policies */
  channels: string[]
  /** whether notifications may carry magic links */
  links: boolean
}

/** Cap of a run when its environment sets none, in US dollars. */
export function defaultCapUsd(environmentClass: EnvironmentClass): number {
  return environmentClass === 'production' ? 5 : 1
}

/** The profile of runs for which nobody names one; it needs no file. */
export const DEFAULT_PROFILE = 'default'

/** What a profile adds to every run under it: gates by action type, and what its runs are bound to. */
export interface Profile {
  name: string
  requires_approval: string[]
  /** the environment of runs that ask for this profile and name none */
  environment?: string
  /** narrows the cap of the environment, in US dollars */
  limits?: { max_usd?: number }
  /** which models the roles are for its runs, over what `models.yaml` says */
  model_roles?: ModelRoles
  /** the texts of model calls go on record, and not their digests alone */
  audit?: { model_texts?: boolean }
  /** a decision must name the plan that it is about */
  require_plan_hash?: boolean
}

/** What a run may cost in US dollars. A profile may narrow the cap of its environment, never widen it. */
export function runCapUsd(
  { cost_gate, class: environmentClass }: Pick<Environment, 'cost_gate' | 'class'>,
  { limits }: Pick<Profile, 'limits'>,
): number {
  return Math.min(cost_gate.max_usd ?? defaultCapUsd(environmentClass), limits?.max_usd ?? Number.POSITIVE_INFINITY)
}

/** Stands for all workspaces there are, and those to come. */
export const EVERY_WORKSPACE = '*'

/** Whose runs may use an environment. */
export function grantsOf({ workspaces }: Pick<Environment, 'workspaces'>): readonly string[] {
  return workspaces ?? [DEFAULT_WORKSPACE_SLUG]
}

/** Whether runs of the workspace of this slug may use an environment. A workspace that nobody could name may use what all may. */
export function isGranted(environment: Pick<Environment, 'workspaces'>, slug: string | undefined): boolean {
  const grants = grantsOf(environment)
  return grants.includes(EVERY_WORKSPACE) || (slug !== undefined && grants.includes(slug))
}
