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

/** What calls of models stand on. */
export interface ModelPorts {
  models: Pick<ModelSource, 'bound'>
  upstream: ModelUpstream
  model_calls: ModelCallStore
  leases: Pick<ModelLeases, 'hold' | 'drop' | 'lose'>
}

/** What a call needs that somebody has judged. */
export type CallContext = Pick<ServiceContext, 'channel' | 'workspace_id' | 'clock' | 'ids' | 'sha256'> & {
  actor: Pick<Actor, 'type' | 'id' | 'auth' | 'human_root' | 'key'>
  workspaces: Pick<WorkspaceDirectory, 'find'>
  request_id?: string
  /** true while nobody's identity is checked */
  open: boolean
} & ModelPorts

/** With what judges it. */
export type ModelContext = CallContext &
  Pick<ServiceContext, 'request_id' | 'environments' | 'workspace_slug' | 'default_environment'> &
  Pick<StartPorts, 'policies'>

/** What administering models stands on, beside what calling them does. */
export interface ModelAdminPorts {
  models: Pick<LayeredModels, 'bound' | 'layers' | 'reloadConsole'>
  model_roles: AuthoredStore
  probes: ModelProbes
  spend: ModelSpendViews
  catalog: CatalogFile
  /** where a model is asked, without anything secret */
  endpointOf(model: Model): EndpointShown
}
