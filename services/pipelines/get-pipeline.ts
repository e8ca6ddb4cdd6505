import { DomainError } from '#core/errors.ts'
import type { Pipeline } from '#core/pipeline/schema.ts'
import { toPipelineRecord } from './pipeline-record.ts'
import type { PipelinePorts } from './ports.ts'

/** The full record of a pipeline. A foreign one is as unknown as one that never was. */
export async function getPipeline(
  { workspace_id, pipelines }: { workspace_id: string } & PipelinePorts,
  id: string,
): Promise<Pipeline> {
  const view = await pipelines.views.find(workspace_id, id)
  if (view === undefined) throw new DomainError('not_found', `no pipeline ${id}`)
  return toPipelineRecord(view)
}
