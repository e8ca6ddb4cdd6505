import { DomainError } from '#core/errors.ts'
import { faultText } from '#core/file-fault.ts'
import type { Pipeline, PipelineBundle, PipelineEvent } from '#core/pipeline/schema.ts'
import type { PipelineFilter, PipelineView } from '#store/pipelines/pipeline-views.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { toPipelineRecord } from './pipeline-record.ts'
import type { PipelinePorts } from './ports.ts'

/** The full record of a pipeline. */
export async function getPipeline(ctx: { workspace_id: string } & PipelinePorts, id: string): Promise<Pipeline> {
  return toPipelineRecord(await getPipelineView(ctx, id))
}

/** Returns a pipeline of the caller's workspace. Throws `not_found`; a foreign pipeline is treated as unknown. */
export async function getPipelineView(
  { workspace_id, pipelines }: { workspace_id: string } & Pick<PipelinePorts, 'pipelines'>,
  id: string,
): Promise<PipelineView> {
  const view = await pipelines.views.find(workspace_id, id)
  if (view === undefined) throw new DomainError('not_found', `no pipeline ${id}`)
  return view
}

type PipelinesAsked = PageRequest & Omit<PipelineFilter, 'workspace_id'>

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

/** A page of a pipeline's event log after a number, in order and without gaps. */
export async function listPipelineEvents(
  { workspace_id, pipelines }: { workspace_id: string } & PipelinePorts,
  { pipeline_id, after_seq, limit }: { pipeline_id: string; after_seq: number; limit: number },
): Promise<{ pipeline_id: string; events: PipelineEvent[]; last_seq: number; terminal: boolean; has_more: boolean }> {
  const head = await pipelines.feed.head(workspace_id, pipeline_id)
  if (head === undefined) throw new DomainError('not_found', `no pipeline ${pipeline_id}`)
  const [update] = await pipelines.feed.updates([{ run_id: pipeline_id, after_seq }], limit)
  const events = update?.events ?? []
  const last_seq = events.at(-1)?.seq ?? after_seq
  return {
    pipeline_id,
    events,
    last_seq,
    terminal: update?.terminal ?? head.terminal,
    has_more: last_seq < (update?.last_seq ?? head.last_seq),
  }
}

/** Lists every bundle with its pipelines, or with its faults. */
export function listPipelineBundles({ pipelines }: PipelinePorts): PipelineBundle[] {
  return pipelines.bundles.list().bundles.map(({ path, digest, pipelines: all, faults }) => ({
    path,
    ...(digest !== undefined && { digest }),
    pipelines: all.map(({ name, title, description, inputs_schema, steps }) => ({
      name,
      title,
      inputs_schema,
      ...(description !== undefined && { description }),
      steps: steps.map((step) => ({
        id: step.id,
        title: step.title,
        kind: step.kind,
        needs: step.needs,
        ...(step.kind === 'run' && { uses: `${step.uses.pack}/${step.uses.template}` }),
      })),
    })),
    faults: faults.filter(({ warning }) => warning !== true).map(faultText),
  }))
}
