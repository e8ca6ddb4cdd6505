import type { Pipeline } from '#core/pipeline/schema.ts'
import type { PipelineFilter } from '#store/pipeline-views.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { toPipelineRecord } from './pipeline-record.ts'
import type { PipelinePorts } from './ports.ts'

export type PipelinesAsked = PageRequest & Omit<PipelineFilter, 'workspace_id'>

/** Pipelines of the workspace, newest first, a page at a time. */
export function listPipelines(
  { workspace_id, pipelines }: { workspace_id: string } & PipelinePorts,
  { limit, cursor, ...filter }: PipelinesAsked,
): Promise<ListPage<Pipeline>> {
  const asked = { workspace_id, ...filter }
  return readPage(
    { limit, cursor },
    {
      prefix: 'pl',
      rows: (page) => pipelines.views.list(asked, page),
      count: (up_to) => pipelines.views.count(asked, up_to),
      toItem: toPipelineRecord,
    },
  )
}
