import { createLru } from '#core/lru.ts'
import type { Clock } from '#core/time/time.ts'
import type { Workspace, WorkspaceLimits } from '#core/workspace/schema.ts'
import type { WorkspaceStore } from '#store/workspaces.ts'
import type { Caller } from '../context.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import { toWorkspaceRecord, type WorkspaceContext } from './workspace-record.ts'

/** The part of a workspace that requests need. */
export interface WorkspaceEntry {
  id: string
  slug: string
  status: 'active' | 'archived'
  default_environment: string
  limits: WorkspaceLimits
}

/** The workspaces there are; an answer may be some seconds old. */
export interface WorkspaceDirectory {
  find(id: string): Promise<WorkspaceEntry | undefined>
  /** This process has just changed it. */
  forget(id: string): void
}

const KEPT_MS = 2_000
const KEPT_ENTRIES = 1_000
const WORKSPACE_ID = /^ws_[0-9a-z]{26}$/

/** Caches reads for up to two seconds, unknown workspaces included. */
export function createWorkspaceDirectory(store: Pick<WorkspaceStore, 'find'>, clock: Clock): WorkspaceDirectory {
  const known = createLru<string, { read_at: number; entry: Promise<WorkspaceEntry | undefined> }>(KEPT_ENTRIES)

  async function read(id: string): Promise<WorkspaceEntry | undefined> {
    const row = await store.find(id)
    if (row === undefined) return undefined
    const { slug, status, default_environment, limits } = row
    return { id, slug, status, default_environment, limits }
  }

  return {
    async find(id) {
      if (!WORKSPACE_ID.test(id)) return undefined
      const now = clock()
      const kept = known.get(id)
      if (kept !== undefined && now >= kept.read_at && now - kept.read_at < KEPT_MS) return await kept.entry
      const entry = read(id)
      known.set(id, { read_at: now, entry })
      // a failure concerns only the request that caused it
      entry.catch(() => known.delete(id))
      return await entry
    },

    forget(id) {
      known.delete(id)
    },
  }
}

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

/** Returns the workspace's default environment and profile; nothing for an unknown one. */
export function placeOf(workspace: WorkspaceEntry | undefined): Pick<Caller, 'workspace_slug' | 'default_environment'> {
  if (workspace === undefined) return {}
  return { workspace_slug: workspace.slug, default_environment: workspace.default_environment }
}
