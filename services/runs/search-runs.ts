import { DomainError } from '#core/errors.ts'
import { mayAnswer } from '#core/gate/may-answer.ts'
import { requesterIds, withoutRequesters } from '#core/gate/requester.ts'
import { type Found, LOOKED_AT, type RunSearch, type RunSearches, type WaitingRun } from '#store/run-search.ts'
import { type WhoAsks, whoDecides } from '../approvals/who-decides.ts'

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
  const voter = await whoDecides(ctx, undefined).catch((error: unknown) => {
    // who may decide nothing is waited for nowhere
    if (error instanceof DomainError && error.code === 'approver_not_allowed') return undefined
    throw error
  })
  if (voter === undefined) return { ids: [] }
  const found = await ctx.searches.find({ ...asked, statuses: ['awaiting_approval'] }, { ...page, limit: LOOKED_AT })
  const waiting = await ctx.searches.waiting(ctx.workspace_id, found.ids)
  const mine = waiting.filter((run) => waitsFor(voter, run)).map(({ id }) => id)
  return { ...found, ids: mine.slice(0, page.limit) }
}

function waitsFor(voter: Awaited<ReturnType<typeof whoDecides>>, { required, votes, provenance }: WaitingRun): boolean {
  const requesters = requesterIds(provenance)
  const { by, roles, asserted, via, delegations } = voter
  const vote = {
    ...{ by, roles, asserted },
    ...(via === undefined ? {} : { via }),
    ...(delegations === undefined ? {} : { delegations: withoutRequesters(delegations, requesters) }),
  }
  return mayAnswer(required, votes, vote, requesters)
}
