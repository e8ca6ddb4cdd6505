import type { ModelSource } from '#platform/models/model-source.ts'
import type { ModelUpstream } from '#platform/models/upstream.ts'
import type { ModelCallStore } from '#store/model-calls.ts'
import type { WorkspaceStore } from '#store/workspaces.ts'
import type { ServiceContext, StartPorts } from '../context.ts'
import type { ModelLeases } from './model-leases.ts'

/** What calls of models stand on. */
export interface ModelPorts {
  models: Pick<ModelSource, 'bound'>
  upstream: ModelUpstream
  model_calls: ModelCallStore
  leases: Pick<ModelLeases, 'hold' | 'drop'>
}

export type ModelContext = ServiceContext &
  Pick<StartPorts, 'policies'> & {
    workspaces: Pick<WorkspaceStore, 'find'>
    /** true while nobody's identity is checked */
    open: boolean
  } & ModelPorts
