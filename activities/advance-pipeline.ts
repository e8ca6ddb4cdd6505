import { ClaimShapes } from '#core/gate/command-schema.ts'
import { PIPELINE_WORKFLOW, type PipelineActivities, type PipelineClaim } from '#core/pipeline/contract.ts'
import { advancePipeline } from '#services/pipelines/advance-pipeline.ts'
import type { AdvanceDeps } from '#services/pipelines/ports.ts'
import { onClaim } from './on-claim.ts'

/** Activities of a pipeline's workflow. */
export function createPipelineActivities(deps: AdvanceDeps): PipelineActivities {
  return {
    advancePipeline: onClaim(deps.claims, ClaimShapes.advancePipeline, ownPipeline, (claim) =>
      advancePipeline(deps, claim),
    ),
  }
}

/** A pipeline is spoken for by the workflow of its name. */
const ownPipeline = ({ pipeline_id }: PipelineClaim) => ({ workflow_id: pipeline_id, type: PIPELINE_WORKFLOW })
