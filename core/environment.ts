/** Environment classes; an unknown or misspelt class counts as `production`. */
export const ENVIRONMENT_CLASSES = ['production', 'staging', 'development', 'sandbox'] as const
export type EnvironmentClass = (typeof ENVIRONMENT_CLASSES)[number]

/** What a deployment says about one environment: the caps, policies and reach of the runs in it. */
export interface Environment {
  name: string
  class: EnvironmentClass
  /** names of console-authored policies that apply here */
  policies: string[]
  cost_gate: { max_usd?: number; daily_usd?: number }
  approval: { ttl_hours?: number; prevent_self: boolean; min_approvals: number }
  /** addresses outside the public internet that operators may reach: CIDR blocks, host names or `loopback` */
  egress: string[]
  /** the profile of runs that name none */
  profile?: string
  /** named connections of this environment: id to a secret reference (`env:NAME`, `file:path`) */
  connections: Record<string, { kind: string; url: string }>
}

/** Cap of a run when its environment sets none, in US dollars. */
export function defaultCapUsd(environmentClass: EnvironmentClass): number {
  return environmentClass === 'production' ? 5 : 1
}

/** What a profile adds to every run under it: gates by action type. */
export interface Profile {
  name: string
  requires_approval: string[]
}
