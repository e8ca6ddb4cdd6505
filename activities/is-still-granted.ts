import { isGranted } from '#core/environment-grants.ts'
import type { StepDeps } from './deps.ts'
import type { RunSession } from './run-session.ts'

/** Whether the run's workspace may still use its environment, by what is in force now. One that is gone has rules of its own. */
export async function isStillGranted(
  { environments, workspaces }: Pick<StepDeps, 'environments' | 'workspaces'>,
  { head, environment }: Pick<RunSession, 'head' | 'environment'>,
): Promise<boolean> {
  if (environments.get(head.environment) === undefined || isGranted(environment, undefined)) return true
  return isGranted(environment, (await workspaces.find(head.workspace_id))?.slug)
}
