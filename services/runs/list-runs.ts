import type { z } from 'zod'
import type { Lane } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { Run } from '#core/run/schema.ts'
import type { RunStatus } from '#core/run/status.ts'
import type { RunViews } from '#store/run-views.ts'
import { toRunRecord } from './run-record.ts'

export interface RunList {
  runs: z.infer<typeof Run>[]
  total: number
  /** opaque place of the next page; absent on the last one */
  next_cursor?: string
}

/** Runs of the workspace, newest first, a page at a time. */
export async function listRuns(
  ctx: { workspace_id: string; views: RunViews },
  input: { lane?: Lane | undefined; statuses?: RunStatus[] | undefined; limit: number; cursor?: string | undefined },
): Promise<RunList> {
  const filter = { workspace_id: ctx.workspace_id, lane: input.lane, statuses: input.statuses }
  const after = input.cursor === undefined ? undefined : parseCursor(input.cursor)
  const [views, total] = await Promise.all([
    ctx.views.list(filter, { limit: input.limit + 1, after }),
    ctx.views.count(filter),
  ])
  const page = views.slice(0, input.limit)
  const last = page.at(-1)
  const more = views.length > input.limit && last !== undefined
  return { runs: page.map(toRunRecord), total, ...(more ? { next_cursor: toCursor(last) } : {}) }
}

function toCursor(last: { position: string; id: string }): string {
  return Buffer.from(`${last.position}|${last.id}`).toString('base64url')
}

function parseCursor(cursor: string): { position: string; id: string } {
  const [position = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('|')
  const sound =
    /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}(:\d{2})?$/.test(position) &&
    /^run_[0-9a-z]{26}$/.test(id)
  if (!sound || Number.isNaN(Date.parse(position.replace(/([+-]\d{2})$/, '$1:00')))) {
    throw new DomainError('invalid_cursor', 'The cursor is not one that this list has given out.')
  }
  return { position, id }
}
