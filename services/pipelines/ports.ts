import type { JsonObject } from '#core/json/json.ts'
import type { AwaitedUpdates } from '#core/pipeline/awaited-updates.ts'
import type { PipelineStart } from '#core/pipeline/contract.ts'
import type { PipelineSource } from '#platform/pipelines/pipeline-source.ts'
import type { BusReads } from '#store/bus/bus-reads.ts'
import type { PipelineFeed } from '#store/pipelines/pipeline-feed.ts'
import type { PipelineViews } from '#store/pipelines/pipeline-views.ts'
import type { PipelineStore } from '#store/pipelines/pipelines.ts'
import type { ClaimPorts } from '../approvals/refuse-claim.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'

/** Ports of pipeline verbs besides those that start runs and decide gates. */
export interface PipelinePorts {
  pipelines: {
    store: PipelineStore
    views: PipelineViews
    feed: PipelineFeed
    /** as they are on disk now */
    bundles: PipelineSource
    workflows: PipelineWorkflows
    /** true when events are stored, so that a step can wait for one */
    keeps_events: boolean
  }
}

/** The workflows of pipelines. */
export interface PipelineWorkflows {
  /** a repeat is harmless: one open workflow for each pipeline */
  begin(pipeline: PipelineStart): Promise<void>
  /** the same in place of a workflow that is not ours; one that is ours is left alone */
  restart(pipeline: PipelineStart): Promise<void>
  /** has it read its record again; false where no workflow of it is open */
  wake(pipelineId: string): Promise<boolean>
}

export interface RequestedPipeline {
  bundle_path: string
  /** may be omitted if the bundle has one pipeline */
  pipeline_name?: string
  inputs: JsonObject
  environment?: string
  profile?: string
  reason?: string
  /** if given, the pipeline starts only if its bundle has this digest */
  bundle_digest?: string
  /** if given, a repeated request returns the first one's pipeline */
  pipeline_id?: string
}

export interface AdvanceDeps {
  services: ServiceDeps
  pipelines: PipelineStore
  bus: BusReads
  workspaces: Pick<WorkspaceDirectory, 'find'>
  claims: ClaimPorts
  /** called with the updates that a pipeline awaits when an evaluation ends */
  onWait(pipelineId: string, awaited: AwaitedUpdates): void
}
