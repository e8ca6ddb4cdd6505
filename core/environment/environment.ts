import type { FreezeWindow } from '../freeze/freeze-window.ts'
import { DEFAULT_WORKSPACE_SLUG } from '../id.ts'
import type { ModelRoles } from '../models/model.ts'
import type { TerminalStatus } from '../run/status.ts'
import type { AllowedProcess } from './process-schema.ts'

/** Environment classes; an unknown or misspelt class counts as `production`. */
export const ENVIRONMENT_CLASSES = ['production', 'staging', 'development', 'sandbox'] as const
export type EnvironmentClass = (typeof ENVIRONMENT_CLASSES)[number]

/** `production`, `live (production)`: the class is said where the name does not say it. */
export function withClass(name: string, environmentClass: string | undefined): string {
  return environmentClass === undefined || environmentClass === name ? name : `${name} (${environmentClass})`
}

/** One environment of a deployment: the caps, policies and reach of the runs in it. */
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
  /** programs that steps may run; none when absent */
  processes?: AllowedProcess[]
  /** the profile of runs that name none */
  profile?: string
  /** named connections of this environment: id to a secret reference (`env:NAME`, `file:path`), or `connection:<name>` of the console */
  connections: Record<string, { kind: string; url: string }>
  /** Temporal task queues of external workers, by the name that steps have for them */
  queues?: Record<string, QueueBinding>
  /** times when no run, or only one that its approvers allow, may act here */
  freeze: FreezeWindow[]
  /** slugs of the workspaces whose runs may use it, `*` for all; absent means the default workspace only */
  workspaces?: string[]
  /** further recipients of the end of a run, besides those who were asked */
  notify?: NotifySettings
  /** where artifacts of runs are kept; in the database when absent */
  backends?: Backends
  /** the treatment of a run whose requester lost their authority: an owner is asked (`park`, the default), or it ends */
  on_lost_standing?: OnLostStanding
}

/** What the name of a queue stands for. A type alias, because an interface is no JSON. */
export type QueueBinding = {
  task_queue: string
  /** public key by which the results of its worker have to be signed */
  attest?: string
}

/** `fs`: in the database; `s3`: in a bucket, by a connection of the console. */
export const OBJECT_STORES = ['fs', 's3'] as const
export interface Backends {
  object_store: (typeof OBJECT_STORES)[number]
  /** name of the connection, with `s3` */
  object_connection?: string | undefined
}

/** The channels that are notified of the end of a run, by how it ended. */
export interface NotifySettings {
  on: TerminalStatus[]
  /** names of channels */
  channels: string[]
}

export const ON_LOST_STANDING = ['park', 'cancel'] as const
export type OnLostStanding = (typeof ON_LOST_STANDING)[number]

/** Settings of the gates of an environment. */
export interface ApprovalSettings {
  ttl_hours?: number
  prevent_self: boolean
  min_approvals: number
  /** after how long an open gate is announced once more */
  remind_after_ms?: number
  /** delay before the gate is escalated to `escalate_to` */
  escalate_after_ms?: number
  /** names of channels */
  escalate_to: string[]
  /** channels that are notified of every gate here, besides those of the policies */
  channels: string[]
  /** true when notifications may contain magic links */
  links: boolean
}

/** Cap of a run when its environment sets none, in US dollars. */
export function defaultCapUsd(environmentClass: EnvironmentClass): number {
  return environmentClass === 'production' ? 5 : 1
}

/** The profile of runs that name none; it needs no file. */
export const DEFAULT_PROFILE = 'default'

/** Settings that a profile adds to its runs: gates by action type, and limits. */
export interface Profile {
  name: string
  requires_approval: string[]
  /** the environment of runs that ask for this profile and name none */
  environment?: string
  /** narrows the cap of the environment, in US dollars */
  limits?: { max_usd?: number }
  /** bindings of model roles for its runs, over those of `models.yaml` */
  model_roles?: ModelRoles
  /** true: audit records hold the texts of model calls, and not only their digests */
  audit?: { model_texts?: boolean }
  /** a decision must name the plan that it is about */
  require_plan_hash?: boolean
}

/** The cap of a run in US dollars. A profile may narrow the cap of its environment, never widen it; one that is gone narrows nothing. */
export function runCapUsd(
  { cost_gate, class: environmentClass }: Pick<Environment, 'cost_gate' | 'class'>,
  profile: Pick<Profile, 'limits'> | undefined,
): number {
  return Math.min(
    cost_gate.max_usd ?? defaultCapUsd(environmentClass),
    profile?.limits?.max_usd ?? Number.POSITIVE_INFINITY,
  )
}

/** Grants all workspaces, present and future. */
export const EVERY_WORKSPACE = '*'

/** Returns the workspaces whose runs may use an environment. */
export function grantsOf({ workspaces }: Pick<Environment, 'workspaces'>): readonly string[] {
  return workspaces ?? [DEFAULT_WORKSPACE_SLUG]
}

/** Tells whether runs of the workspace with this slug may use an environment. An unknown workspace may use what all workspaces may. */
export function isGranted(environment: Pick<Environment, 'workspaces'>, slug: string | undefined): boolean {
  const grants = grantsOf(environment)
  return grants.includes(EVERY_WORKSPACE) || (slug !== undefined && grants.includes(slug))
}
