import type { PipelineDefinition } from '#core/pipeline/types.ts'
import type { PipelineViews } from '#store/pipeline-views.ts'
import type { PipelineStart, PipelineStore } from '#store/pipelines.ts'

/** What verbs about pipelines stand on, beside what starts runs and decides gates. */
export interface PipelinePorts {
  pipelines: {
    store: PipelineStore
    views: PipelineViews
    bundles: PipelineBundles
    engine: PipelineEngine
    /** whether events are kept, so that a step can wait for one */
    keeps_events: boolean
  }
}

/** Bundles as they are on disk now. */
export interface PipelineBundles {
  /** Throws `validation_failed`: no such bundle or pipeline, or everything that is wrong with the bundle. */
  find(
    bundlePath: string,
    pipelineName?: string,
  ): { definition: PipelineDefinition; bundle: { path: string; digest: string } }
}

/** The engine as pipelines see it. */
export interface PipelineEngine {
  /** a repeat is harmless: one open workflow for each pipeline */
  start(pipeline: PipelineStart): Promise<void>
  /** has it look at its record; false where no workflow of it is open */
  wake(pipelineId: string): Promise<boolean>
}
