import type { ArtifactViews } from '#store/artifact-views.ts'

const MOST_CHARS = 100_000

/** The report of a run as text for a page; undefined while there is none. */
export async function reportText(
  ctx: { workspace_id: string; artifacts: ArtifactViews },
  runId: string,
): Promise<string | undefined> {
  const report = await ctx.artifacts.findReport(ctx.workspace_id, runId)
  return report && new TextDecoder().decode(report.body).slice(0, MOST_CHARS)
}
