import type { z } from 'zod'
import type { Lane } from '#core/contract.ts'
import type { Run } from '#core/run/schema.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { RunViews } from '#store/run-views.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { toRunRecord } from './run-record.ts'

/** Runs of the workspace, newest first, a page at a time. */
export function listRuns(
  ctx: { workspace_id: string; views: RunViews },
  input: PageRequest & { lane?: Lane | undefined; statuses?: RunStatus[] | undefined },
): Promise<ListPage<z.infer<typeof Run>>> {
  const filter = { workspace_id: ctx.workspace_id, lane: input.lane, statuses: input.statuses }
  return readPage(input, {
    prefix: 'run',
    rows: (page) => ctx.views.list(filter, page),
    count: (up_to) => ctx.views.count(filter, up_to),
    toItem: toRunRecord,
  })
}
