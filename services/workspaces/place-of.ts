import type { Caller } from '../context.ts'
import type { WorkspaceEntry } from './workspace-directory.ts'

/** What of a workspace says where its runs may run; nothing of one that is not known. */
export function placeOf(workspace: WorkspaceEntry | undefined): Pick<Caller, 'workspace_slug' | 'default_environment'> {
  if (workspace === undefined) return {}
  return { workspace_slug: workspace.slug, default_environment: workspace.default_environment }
}
