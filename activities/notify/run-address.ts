import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'

/** The address of a run in the console, with its workspace: the reader's home may be another one. */
export function runAddress(
  publicUrl: string,
  { run_id, workspace_id }: { run_id: string; workspace_id: string },
): string {
  return `${publicUrl}${workspace_id === DEFAULT_WORKSPACE_ID ? '' : `/workspaces/${workspace_id}`}/runs/${run_id}`
}
