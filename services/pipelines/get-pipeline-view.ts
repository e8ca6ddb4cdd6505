import { DomainError } from '#core/errors.ts'
import type { PipelineView } from '#store/pipeline-views.ts'
import type { PipelinePorts } from './ports.ts'

/** A pipeline of the caller's workspace. Throws `not_found`; a pipeline of another workspace is answered like one that never existed. */
export async function getPipelineView(
  { workspace_id, pipelines }: { workspace_id: string } & Pick<PipelinePorts, 'pipelines'>,
  id: string,
): Promise<PipelineView> {
  const view = await pipelines.views.find(workspace_id, id)
  if (view === undefined) throw new DomainError('not_found', `no pipeline ${id}`)
  return view
}
