import type { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Artifact } from '#core/run/artifact-schema.ts'
import type { ArtifactViews } from '#store/artifact-views.ts'
import type { EventFeed } from '#store/event-feed.ts'
import { toArtifactRecord } from './run-record.ts'

/** What a run left behind, oldest first. */
export async function listArtifacts(
  ctx: { workspace_id: string; artifacts: ArtifactViews; feed: EventFeed },
  runId: string,
): Promise<z.infer<typeof Artifact>[]> {
  const rows = await ctx.artifacts.list(ctx.workspace_id, runId)
  if (rows.length === 0 && !(await ctx.feed.head(ctx.workspace_id, runId)))
    throw new DomainError('not_found', `no run ${runId}`)
  return rows.map(toArtifactRecord)
}
