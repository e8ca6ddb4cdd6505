import { DomainError } from '#core/errors.ts'
import type { PipelineEvent } from '#core/pipeline/event-schema.ts'
import type { PipelinePorts } from './ports.ts'

/** A page of a pipeline's event log after a number, in order and without gaps. */
export async function listPipelineEvents(
  { workspace_id, pipelines }: { workspace_id: string } & PipelinePorts,
  { pipeline_id, after_seq, limit }: { pipeline_id: string; after_seq: number; limit: number },
): Promise<{ pipeline_id: string; events: PipelineEvent[]; last_seq: number; terminal: boolean; has_more: boolean }> {
  const head = await pipelines.feed.head(workspace_id, pipeline_id)
  if (head === undefined) throw new DomainError('not_found', `no pipeline ${pipeline_id}`)
  const [news] = await pipelines.feed.news([{ run_id: pipeline_id, after_seq }], limit)
  const events = news?.events ?? []
  const last_seq = events.at(-1)?.seq ?? after_seq
  return {
    pipeline_id,
    events,
    last_seq,
    terminal: news?.terminal ?? head.terminal,
    has_more: last_seq < (news?.last_seq ?? head.last_seq),
  }
}
