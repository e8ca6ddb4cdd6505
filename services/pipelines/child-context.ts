import type { Actor } from '#core/actor.ts'
import type { PipelineSnapshot } from '#core/pipeline/snapshot.ts'
import type { DecisionContext, StartContext } from '../context.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { placeOf, type WorkspaceEntry } from '../workspaces/workspace-directory.ts'

/** A pipeline starts and stops its runs as itself; the person behind them is the one who started the pipeline. */
export function childContext(
  services: ServiceDeps,
  { id, name, workspace_id }: Pick<PipelineSnapshot, 'id' | 'name' | 'workspace_id'>,
  workspace: WorkspaceEntry | undefined,
): StartContext & DecisionContext {
  const actor: Actor = {
    type: 'system',
    id,
    display: `pipeline ${name}`,
    account_id: 'acc_system',
    roles: ['operator'],
    approval_roles: [],
    scopes: [],
    workspaces: [workspace_id],
    auth: 'none',
  }
  return {
    ...services,
    actor,
    workspace_id,
    ...placeOf(workspace),
    channel: 'system',
    request_id: services.ids.next('request'),
  }
}
