import { buildTimeline, type RunTimeline } from '#core/audit/timeline.ts'
import { timelineSections } from '#core/audit/timeline-lines.ts'
import { DomainError } from '#core/errors.ts'
import type { RunLineage } from '#core/run/lineage-schema.ts'
import { visible } from '#core/text/visible-text.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { ArtifactViews } from '#store/runs/artifact-views.ts'
import type { LineageViews, RelatedRunRow } from '#store/runs/lineage-views.ts'
import { type AuditContext, readAudit } from '../audit/read-audit.ts'
import type { ArtifactObjects } from './artifact-objects.ts'
import { type ArtifactFile, withContent } from './artifacts.ts'

const MAX_RECORDS = 5_000

/** Returns the origin of a run, its records, and its successors. A foreign run is treated as unknown. */
export async function getLineage(
  ctx: AuditContext & { feed: EventFeed; lineages: LineageViews },
  runId: string,
): Promise<RunLineage> {
  if (!(await ctx.feed.head(ctx.workspace_id, runId))) throw new DomainError('not_found', `no run ${runId}`)
  const [records, pipeline, origins, ledTo] = await Promise.all([
    readAudit(ctx, { run_id: runId }, { limit: MAX_RECORDS + 1 }),
    ctx.lineages.pipeline(ctx.workspace_id, runId),
    ctx.lineages.origins(ctx.workspace_id, runId),
    ctx.lineages.ledTo(ctx.workspace_id, runId),
  ])
  const inOrder = records.sort((one, other) => one.seq - other.seq).map(({ event }) => event)
  const timeline = records.length > MAX_RECORDS ? undefined : buildTimeline(inOrder)
  return {
    run_id: runId,
    story:
      timeline === undefined
        ? []
        : timelineSections(timeline).map(({ title, text }) => ({ title, text: visible(text) })),
    as_approved: timeline === undefined ? null : verdict(timeline),
    ...(pipeline !== undefined && { pipeline }),
    origins: origins.map(toRelated),
    led_to: ledTo.map(toRelated),
  }
}

/** A run is verified as approved only if a step needed approval. */
function verdict({ as_approved, effects }: RunTimeline): boolean | null {
  const isProved = effects.some((effect) => effect.as_approved !== null)
  return as_approved && !isProved ? null : as_approved
}

function toRelated({ id, skill, trigger, ...row }: RelatedRunRow): RunLineage['led_to'][number] {
  const { pack, template, status, created_at } = row
  return {
    run_id: id,
    template: `${pack}/${template}`,
    status,
    created_at,
    ...(trigger !== null && { trigger }),
    ...(skill !== null && { skill }),
  }
}

/** Returns the stored report of a run, in Markdown. */
export async function getReport(
  ctx: { workspace_id: string; artifacts: ArtifactViews; objects: Pick<ArtifactObjects, 'read' | 'link'> },
  runId: string,
): Promise<ArtifactFile> {
  const report = await ctx.artifacts.findReport(ctx.workspace_id, runId)
  if (!report) throw new DomainError('not_found', `no report of run ${runId}`)
  return await withContent(ctx, report)
}
