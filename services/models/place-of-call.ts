import type { Environment, Profile } from '#core/environment.ts'
import { DomainError } from '#core/errors.ts'
import { choosePlace } from '../runs/choose-place.ts'
import type { ModelContext } from './model-ports.ts'

/** Where a call belongs: to its run, else where a run of the workspace would run that names nothing. Throws `not_found`. */
export async function placeOfCall(
  ctx: ModelContext,
  runId: string | undefined,
): Promise<{ environment: Environment; profile: Profile }> {
  if (runId === undefined) return choosePlace(ctx, {})
  const run = await ctx.model_calls.run(ctx.workspace_id, runId)
  if (run === undefined) throw new DomainError('not_found', `no run ${runId}`)
  const environment = ctx.environments.get(run.environment)
  if (environment === undefined)
    throw new DomainError('not_configured', `the environment ${run.environment} of the run is not there any more`)
  return { environment, profile: ctx.environments.profile(run.profile) }
}
