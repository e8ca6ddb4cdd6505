import type { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { attachmentNamed } from '#core/run/attachment-name.ts'
import type { Artifact } from '#core/run/schema.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { ArtifactPlace, ArtifactRow, ArtifactViews } from '#store/runs/artifact-views.ts'
import type { ArtifactObjects, ObjectRecord } from './artifact-objects.ts'
import { toArtifactRecord } from './run-record.ts'

interface ArtifactContext {
  workspace_id: string
  artifacts: ArtifactViews
  objects: Pick<ArtifactObjects, 'read' | 'link'>
}

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
export interface ArtifactFile extends ArtifactRow {
  body: Uint8Array
}

/**
 * Returns one artifact of a run with its content; of one in a bucket a url that is good for a minute, unless `redirect` is false. Throws
 * `artifact_mismatch` where the bucket has something else.
 */
export async function downloadArtifact(
  ctx: ArtifactContext,
  { run_id, name, redirect }: { run_id: string; name: string; redirect: boolean },
): Promise<ArtifactFile | { url: string; digest: string }> {
  const place = await ctx.artifacts.findPlace(ctx.workspace_id, run_id, name)
  if (!place) throw new DomainError('not_found', `no artifact ${name} of run ${run_id}`)
  const record = redirect ? recordOf(ctx, place) : undefined
  if (record === undefined) return await withContent(ctx, place)
  return { url: await ctx.objects.link(record, attachmentNamed(name)), digest: place.digest }
}

/** The content of an artifact, wherever it is. */
export async function withContent(
  ctx: Omit<ArtifactContext, 'artifacts'>,
  place: ArtifactPlace,
): Promise<ArtifactFile> {
  const { body, object_connection: _, object_key: __, environment: ___, ...row } = place
  if (body !== null) return { ...row, body }
  const record = recordOf(ctx, place)
  if (record === undefined) throw new Error(`artifact ${row.id} has no content`)
  return { ...row, body: await ctx.objects.read(record) }
}

/** Of an artifact in a bucket. */
function recordOf({ workspace_id }: { workspace_id: string }, place: ArtifactPlace): ObjectRecord | undefined {
  const { object_connection: connection, object_key: key, body: _, ...row } = place
  return connection === null || key === null ? undefined : { ...row, workspace_id, object: { connection, key } }
}
