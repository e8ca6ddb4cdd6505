import { type OperatorContext, OperatorError, type Simulation } from '#core/operator.ts'
import { type GitDeps, type Repository, repositoryUrl } from './git-remote.ts'

/** Resolves and checks the host of a repository, and connects to nobody. */
export async function simulateReach(
  { egress }: GitDeps,
  ctx: OperatorContext,
  input: Repository,
  summary: string,
): Promise<Simulation> {
  try {
    const url = repositoryUrl(input, await ctx.connection(input.connection))
    const { addresses } = await egress.resolve({ url, egress: ctx.environment.egress, signal: ctx.signal })
    return { ok: true, summary, details: { url, addresses } }
  } catch (error) {
    if (!(error instanceof OperatorError) || ctx.signal.aborted) throw error
    return { ok: false, summary: error.message, details: { code: error.code } }
  }
}
