import { type Environment, isGranted } from '../environment/environment.ts'

/** The scope of a halt; an absent member does not restrict it, and an empty scope covers everything. */
export interface HaltScope {
  /** id of a workspace */
  workspace?: string
  environment?: string
  /** `pack/template` */
  template?: string
  /** id of a requester of the run */
  requester?: string
}

/** Formats what a scope covers, such as `workspace Payments, environment production`; a workspace without a name is called by its id. */
export function scopeText(
  { workspace, ...scope }: { [Name in keyof HaltScope]?: string | undefined },
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const named = workspace === undefined ? scope : { workspace: names.get(workspace) ?? workspace, ...scope }
  const parts = Object.entries(named).map(([name, value]) => `${name} ${value}`)
  return parts.length === 0 ? 'everything' : parts.join(', ')
}

/** A halt that is in force. */
export interface Halt {
  id: string
  scope: HaltScope
  reason: string
  by: { type: string; id: string; display: string }
  created_at: string
}

const DEPLOYMENT = { id: 'deployment', display: 'an administrator of all workspaces' }

/** Returns who set a halt, as this reader may see it: a halt beyond their workspaces shows no name. */
export function setterFor(
  { workspaces }: { workspaces: '*' | readonly string[] },
  { scope, by }: Pick<Halt, 'scope' | 'by'>,
): Halt['by'] {
  return workspaces === '*' || scope.workspace !== undefined ? by : { type: by.type, ...DEPLOYMENT }
}

/** A user who may lift the halts of their workspaces, or all halts. */
export interface Lifter {
  /** of those without a name of their own, their mail address */
  name: string
  /** ids, or `*` alone */
  workspaces: string[]
}

/** A run, or the request for one, as halts see it. */
export interface HaltSubject {
  workspace_id: string
  environment: string
  template: string
  requesters: readonly string[]
  compensation: boolean
}

/**
 * The first of these halts that covers the subject, as `is_halted_by` in the database. Who asked for an effect cannot hold up the
 * compensation that takes it back.
 */
export function findHalt<Found extends Pick<Halt, 'scope' | 'by'>>(
  halts: readonly Found[],
  { workspace_id, environment, template, requesters, compensation }: HaltSubject,
): Found | undefined {
  return halts.find(
    ({ scope, by }) =>
      !(compensation && requesters.includes(by.id)) &&
      (scope.workspace ?? workspace_id) === workspace_id &&
      (scope.environment ?? environment) === environment &&
      (scope.template ?? template) === template &&
      (scope.requester === undefined || requesters.includes(scope.requester)),
  )
}

/** Tells whether a halt affects these workspaces: a halt of an environment that none of them may use does not. */
export function concerns(
  { workspace, environment }: HaltScope,
  environments: readonly Environment[],
  slugs: readonly (string | undefined)[],
): boolean {
  if (workspace !== undefined || environment === undefined) return true
  const found = environments.find(({ name }) => name === environment) ?? {}
  return slugs.some((slug) => isGranted(found, slug))
}
