import { DomainError } from '#core/errors.ts'
import type { ArtifactBody, ArtifactViews } from '#store/artifact-views.ts'

/** The report of a run, Markdown as it was stored. */
export async function getReport(
  ctx: { workspace_id: string; artifacts: ArtifactViews },
  runId: string,
): Promise<ArtifactBody> {
  const report = await ctx.artifacts.findReport(ctx.workspace_id, runId)
  if (!report) throw new DomainError('not_found', `no report of run ${runId}`)
  return report
}
