import type { Workspace } from '#core/workspace/schema.ts'
import { parseCursor, toCursor } from '../list-cursor.ts'
import { toWorkspaceRecord, type WorkspaceContext } from './workspace-record.ts'

export interface WorkspaceList {
  workspaces: Workspace[]
  total: number
  /** opaque place of the next page; absent on the last one */
  next_cursor?: string
}

/** The workspaces that the caller may enter, newest first, a page at a time; archived ones too. */
export async function listWorkspaces(
  ctx: Pick<WorkspaceContext, 'actor' | 'workspaces'>,
  input: { limit: number; cursor?: string | undefined },
): Promise<WorkspaceList> {
  const after = input.cursor === undefined ? undefined : parseCursor(input.cursor, 'ws')
  const mine = ctx.actor.workspaces
  const [rows, total] = await Promise.all([
    ctx.workspaces.list(mine, { limit: input.limit + 1, after }),
    ctx.workspaces.count(mine),
  ])
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  const more = rows.length > input.limit && last !== undefined
  return { workspaces: page.map(toWorkspaceRecord), total, ...(more ? { next_cursor: toCursor(last) } : {}) }
}
