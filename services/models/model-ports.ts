import type { Actor } from '#core/actor.ts'
import type { Model } from '#core/models/model.ts'
import type { LayeredModels } from '#platform/models/layered-models.ts'
import type { CatalogFile } from '#platform/models/model-catalog.ts'
import type { EndpointShown } from '#platform/models/model-endpoint.ts'
import type { ModelSource } from '#platform/models/model-source.ts'
import type { ModelUpstream } from '#platform/models/upstream.ts'
import type { AuthoredStore } from '#store/authored/authored.ts'
import type { ModelCallStore } from '#store/models/model-calls.ts'
import type { ModelProbes } from '#store/models/model-probes.ts'
import type { ModelSpendViews } from '#store/models/model-spend.ts'
import type { ServiceContext, StartPorts } from '../context.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import type { ModelLeases } from './model-leases.ts'

/** The dependencies of model calls. */
export interface ModelPorts {
  models: Pick<ModelSource, 'bound'>
  upstream: ModelUpstream
  model_calls: ModelCallStore
  leases: Pick<ModelLeases, 'hold' | 'drop' | 'lose'>
}

/** The context of a call that was judged. */
export type CallContext = Pick<ServiceContext, 'channel' | 'workspace_id' | 'clock' | 'ids' | 'sha256'> & {
  actor: Pick<Actor, 'type' | 'id' | 'auth' | 'human_root' | 'key'>
  workspaces: Pick<WorkspaceDirectory, 'find'>
  request_id?: string
  /** true while authentication is off */
  open: boolean
} & ModelPorts

/** With what judges it. */
export type ModelContext = CallContext &
  Pick<ServiceContext, 'request_id' | 'environments' | 'workspace_slug' | 'default_environment'> &
  Pick<StartPorts, 'policies'>

/** The dependencies of administering models, besides those of calling them. */
export interface ModelAdminPorts {
  models: Pick<LayeredModels, 'bound' | 'layers' | 'reloadConsole'>
  model_roles: AuthoredStore
  probes: ModelProbes
  spend: ModelSpendViews
  catalog: CatalogFile
  /** the endpoint of a model, without secrets */
  endpointOf(model: Model): EndpointShown
}
