import { type Found, LOOKED_AT, type RunSearch, type RunSearches } from '#store/run-search.ts'
import { withCurrentVotes } from '../approvals/current-votes.ts'
import { findVoter, takenFrom } from '../approvals/taken-from.ts'
import type { WhoAsks } from '../approvals/who-decides.ts'

export type SearchContext = WhoAsks & { searches: RunSearches }

type Page = Parameters<RunSearches['find']>[1]

/** Ids of runs by what people ask for; with `awaiting_me` those whose gate the caller may answer now. */
export async function searchRuns(
  ctx: SearchContext,
  search: RunSearch & { awaiting_me?: boolean | undefined },
  page: Page,
): Promise<Found> {
  const { awaiting_me = false, ...asked } = search
  if (!awaiting_me) return await ctx.searches.find(asked, page)
  if (asked.statuses !== undefined && !asked.statuses.includes('awaiting_approval')) return { ids: [] }
  const voter = await findVoter(ctx)
  // who may decide nothing is waited for nowhere
  if (voter === undefined) return { ids: [] }
  const found = await ctx.searches.find({ ...asked, statuses: ['awaiting_approval'] }, { ...page, limit: LOOKED_AT })
  const waiting = await withCurrentVotes(ctx, ctx.workspace_id, await ctx.searches.waiting(ctx.workspace_id, found.ids))
  const mine = waiting.filter((run) => takenFrom(voter, run).includes('approve')).map(({ id }) => id)
  return { ...found, ids: mine.slice(0, page.limit) }
}
