import type { NewsAwaited } from '#core/pipeline/awaited-updates.ts'
import type { BusReads } from '#store/bus-reads.ts'
import type { PipelineStore } from '#store/pipelines.ts'
import type { ClaimPorts } from '../approvals/refuse-claim.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'

export interface AdvanceDeps {
  services: ServiceDeps
  pipelines: PipelineStore
  bus: BusReads
  workspaces: Pick<WorkspaceDirectory, 'find'>
  claims: ClaimPorts
  /** told what a pipeline awaits, when a look has come to a wait */
  onWait(pipelineId: string, awaited: NewsAwaited): void
}
