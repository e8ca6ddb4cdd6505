import type { Workspace } from '#core/workspace/schema.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { toWorkspaceRecord, type WorkspaceContext } from './workspace-record.ts'

/** The workspaces that the caller may enter, newest first, a page at a time; archived ones too. */
export function listWorkspaces(
  ctx: Pick<WorkspaceContext, 'actor' | 'workspaces'>,
  input: PageRequest,
): Promise<ListPage<Workspace>> {
  const mine = ctx.actor.workspaces
  return readPage(input, {
    prefix: 'ws',
    rows: (page) => ctx.workspaces.list(mine, page),
    count: (up_to) => ctx.workspaces.count(mine, up_to),
    toItem: toWorkspaceRecord,
  })
}
