import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'

/** Where a run is read. Whoever is told of it may have their home in another workspace than the run. */
export function runAddress(
  publicUrl: string,
  { run_id, workspace_id }: { run_id: string; workspace_id: string },
): string {
  return `${publicUrl}${workspace_id === DEFAULT_WORKSPACE_ID ? '' : `/workspaces/${workspace_id}`}/runs/${run_id}`
}
