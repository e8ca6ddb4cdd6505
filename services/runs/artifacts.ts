import type { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Artifact } from '#core/run/schema.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { ArtifactBody, ArtifactViews } from '#store/runs/artifact-views.ts'
import { toArtifactRecord } from './run-record.ts'

/** Lists the artifacts of a run, oldest first. */
export async function listArtifacts(
  ctx: { workspace_id: string; artifacts: ArtifactViews; feed: EventFeed },
  runId: string,
): Promise<z.infer<typeof Artifact>[]> {
  const rows = await ctx.artifacts.list(ctx.workspace_id, runId)
  if (rows.length === 0 && !(await ctx.feed.head(ctx.workspace_id, runId)))
    throw new DomainError('not_found', `no run ${runId}`)
  return rows.map(toArtifactRecord)
}

/** A stored file with its content. */
export type ArtifactFile = ArtifactBody

/** Returns one artifact of a run with its content. */
export async function downloadArtifact(
  ctx: { workspace_id: string; artifacts: ArtifactViews },
  input: { run_id: string; name: string },
): Promise<ArtifactFile> {
  const artifact = await ctx.artifacts.findBody(ctx.workspace_id, input.run_id, input.name)
  if (!artifact) throw new DomainError('not_found', `no artifact ${input.name} of run ${input.run_id}`)
  return artifact
}
