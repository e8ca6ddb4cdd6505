import type { z } from 'zod'
import type { Lane } from '#core/contract.ts'
import type { Run } from '#core/run/schema.ts'
import type { RunCriteria } from '#core/run/search.ts'
import type { RunStatus } from '#core/run/status.ts'
import { type Found, type RunSearch, type RunSearches, SEARCHED_AT_ONCE } from '#store/runs/run-search.ts'
import type { RunViews } from '#store/runs/run-views.ts'
import { withCurrentVotes } from '../approvals/current-votes.ts'
import { findVoter, takenFrom } from '../approvals/gate-decision.ts'
import type { WhoAsks } from '../approvals/who-decides.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { toRunRecord } from './run-record.ts'

export type RunsAsked = PageRequest &
  RunCriteria & { lane?: Lane | undefined; statuses?: RunStatus[] | undefined; awaiting_me?: boolean | undefined }

/** Runs of the workspace, newest first, a page at a time. A page of a search may be short, or empty, and still not be the last one. */
export function listRuns(
  ctx: SearchContext & { views: RunViews },
  input: RunsAsked,
): Promise<ListPage<z.infer<typeof Run>>> {
  const { limit: _limit, cursor: _cursor, lane, statuses, ...asked } = input
  const { workspace_id } = ctx
  const filter = { workspace_id, lane, statuses }
  const list = { prefix: 'run', toItem: toRunRecord }
  if (Object.values(asked).every((each) => each === undefined || each === false))
    return readPage(input, {
      ...list,
      rows: (page) => ctx.views.list(filter, page),
      count: (up_to) => ctx.views.count(filter, up_to),
    })
  const search = { ...filter, ...asked }
  return readPage(input, {
    ...list,
    async rows(page) {
      const { ids, resume } = await searchRuns(ctx, search, page)
      return { rows: await ctx.views.byIds(workspace_id, ids), resume }
    },
    async count() {
      const { ids, resume } = await searchRuns(ctx, search, { limit: SEARCHED_AT_ONCE })
      return { count: ids.length, capped: resume !== undefined }
    },
  })
}

type SearchContext = WhoAsks & { searches: RunSearches }

type Page = Parameters<RunSearches['find']>[1]

/** Returns ids of runs by filters; with `awaiting_me` those whose gate the caller may answer now. */
async function searchRuns(
  ctx: SearchContext,
  search: RunSearch & { awaiting_me?: boolean | undefined },
  page: Page,
): Promise<Found> {
  const { awaiting_me = false, ...asked } = search
  if (!awaiting_me) return await ctx.searches.find(asked, page)
  if (asked.statuses !== undefined && !asked.statuses.includes('awaiting_approval')) return { ids: [] }
  const voter = await findVoter(ctx)
  // a user who may decide nothing has no gates
  if (voter === undefined) return { ids: [] }
  const found = await ctx.searches.find(
    { ...asked, statuses: ['awaiting_approval'] },
    { ...page, limit: SEARCHED_AT_ONCE },
  )
  const waiting = await withCurrentVotes(ctx, ctx.workspace_id, await ctx.searches.waiting(ctx.workspace_id, found.ids))
  const mine = waiting.filter((run) => takenFrom(voter, run).includes('approve')).map(({ id }) => id)
  return { ...found, ids: mine.slice(0, page.limit) }
}
