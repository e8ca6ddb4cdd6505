import type { PipelineEnd } from './transitions.ts'

export const PIPELINE_WORKFLOW = 'pipelineV1'
/** Name of the signal at which a pipeline looks at its record. It carries nothing. */
export const WAKE_PIPELINE = 'pipeline.wake'

/** A pipeline by its names, and all that its workflow is given. Whatever it is, and may do, is read from the record. */
export interface PipelineClaim {
  pipeline_id: string
  workspace_id: string
}

/** What a pipeline's workflow is started with, and what the engine's own screens call it. */
export interface PipelineStart extends PipelineClaim {
  name: string
  environment: string
}

export interface PipelineResult {
  status: PipelineEnd
}

export type AdvanceOutcome =
  /** null: until something happens */
  { kind: 'wait'; for_ms: number | null; summary: string } | { kind: 'ended'; status: PipelineEnd }

export interface PipelineActivities {
  /** takes the pipeline as far as it goes by itself; `cancelled`: in Temporal itself */
  advancePipeline(claim: PipelineClaim & { cancelled: boolean }): Promise<AdvanceOutcome>
}
