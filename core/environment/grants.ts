import { DEFAULT_WORKSPACE_SLUG } from '../id.ts'
import type { Environment } from './environment.ts'

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
