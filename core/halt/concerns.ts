import type { Environment } from '../environment/environment.ts'
import { isGranted } from '../environment/grants.ts'
import type { HaltScope } from './halt.ts'

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
