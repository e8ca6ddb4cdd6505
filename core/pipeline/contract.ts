import type { PipelineEnd } from './transitions.ts'

export const PIPELINE_WORKFLOW = 'pipelineV1'
/** Signal that makes a pipeline read its record. It has no payload. */
export const WAKE_PIPELINE = 'pipeline.wake'

/** The identifiers of a pipeline: the only input of its workflow. Everything else is read from the record. */
export interface PipelineClaim {
  pipeline_id: string
  workspace_id: string
}

/** The start of a pipeline's workflow, with its labels in the Temporal Web UI. */
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
  /** advances the pipeline as far as possible now; `cancelled`: in Temporal itself */
  advancePipeline(claim: PipelineClaim & { cancelled: boolean }): Promise<AdvanceOutcome>
}
