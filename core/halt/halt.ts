import { type Environment, isGranted } from '../environment/environment.ts'

/** What a halt covers; what is absent is covered whole, and an empty scope is everything. */
export interface HaltScope {
  /** id of a workspace */
  workspace?: string
  environment?: string
  /** `pack/template` */
  template?: string
  /** id of the one who asked for a run, or in whose name it was asked for */
  requester?: string
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

/** Who set a halt, as somebody may know it: one that reaches beyond their workspaces names nobody to them. */
export function setterFor(
  { workspaces }: { workspaces: '*' | readonly string[] },
  { scope, by }: Pick<Halt, 'scope' | 'by'>,
): Halt['by'] {
  return workspaces === '*' || scope.workspace !== undefined ? by : { type: by.type, ...DEPLOYMENT }
}

/** A run, or the request for one, as halts see it. */
export interface HaltSubject {
  workspace_id: string
  environment: string
  template: string
  requesters: readonly string[]
}

/** The first of these halts that covers the subject, as `is_halted_by` in the database. */
export function findHalt<Found extends Pick<Halt, 'scope'>>(
  halts: readonly Found[],
  { workspace_id, environment, template, requesters }: HaltSubject,
): Found | undefined {
  return halts.find(
    ({ scope }) =>
      (scope.workspace ?? workspace_id) === workspace_id &&
      (scope.environment ?? environment) === environment &&
      (scope.template ?? template) === template &&
      (scope.requester === undefined || requesters.includes(scope.requester)),
  )
}

/** Whether a halt is any business of these workspaces: that of an environment which none of them may use says nothing to them. */
export function concerns(
  { workspace, environment }: HaltScope,
  environments: readonly Environment[],
  slugs: readonly (string | undefined)[],
): boolean {
  if (workspace !== undefined || environment === undefined) return true
  const found = environments.find(({ name }) => name === environment) ?? {}
  return slugs.some((slug) => isGranted(found, slug))
}
