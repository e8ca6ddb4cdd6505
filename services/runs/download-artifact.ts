import { DomainError } from '#core/errors.ts'
import type { ArtifactBody, ArtifactViews } from '#store/artifact-views.ts'

/** A stored file with its content. */
export type ArtifactFile = ArtifactBody

/** One artifact of a run with its content. */
export async function downloadArtifact(
  ctx: { workspace_id: string; artifacts: ArtifactViews },
  input: { run_id: string; name: string },
): Promise<ArtifactFile> {
  const artifact = await ctx.artifacts.findBody(ctx.workspace_id, input.run_id, input.name)
  if (!artifact) throw new DomainError('not_found', `no artifact ${input.name} of run ${input.run_id}`)
  return artifact
}
