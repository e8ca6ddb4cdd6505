import type { OperatorContext, Simulation } from '#core/operator.ts'
import { predicted } from '../predicted.ts'
import { type GitDeps, type Repository, repositoryUrl } from './remote.ts'

/** Resolves and checks the host of a repository, and connects to nobody. */
export function simulateReach(
  { egress }: GitDeps,
  ctx: OperatorContext,
  input: Repository,
  summary: string,
): Promise<Simulation> {
  return predicted(ctx, async () => {
    const url = repositoryUrl(input, await ctx.connection(input.connection))
    const { addresses } = await egress.resolve({ url, egress: ctx.environment.egress, signal: ctx.signal })
    return { ok: true, summary, details: { url, addresses } }
  })
}
