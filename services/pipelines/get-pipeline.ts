import type { Pipeline } from '#core/pipeline/schema.ts'
import { getPipelineView } from './get-pipeline-view.ts'
import { toPipelineRecord } from './pipeline-record.ts'
import type { PipelinePorts } from './ports.ts'

/** The full record of a pipeline. */
export async function getPipeline(ctx: { workspace_id: string } & PipelinePorts, id: string): Promise<Pipeline> {
  return toPipelineRecord(await getPipelineView(ctx, id))
}
