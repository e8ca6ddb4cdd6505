import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { Workspace } from '#core/workspace/schema.ts'
import type { WorkspaceChange, WorkspaceRow } from '#store/workspaces.ts'
import { mayEnter } from '../auth/may.ts'
import { mustMatch } from '../authored-document.ts'
import { toWorkspaceRecord, type WorkspaceContext } from './workspace-record.ts'

/** Returns the change of a workspace; undefined for none. Throws when it is forbidden. */
type Decide = (current: WorkspaceRow) => { change: WorkspaceChange; audit: AuditDraft } | undefined

const ATTEMPTS = 5

/** Changes a workspace: a caller who names a version gets that one or `version_conflict`. */
export async function changeWorkspace(
  ctx: WorkspaceContext,
  input: { workspace_id: string; if_match?: string | undefined },
  decide: Decide,
): Promise<Workspace> {
  const { workspace_id, if_match } = input
  if (!mayEnter(ctx.actor, workspace_id)) throw new DomainError('not_found', 'the caller has no such workspace')
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const current = await ctx.workspaces.find(workspace_id)
    if (current === undefined) throw new DomainError('not_found', 'there is no such workspace')
    mustMatch(if_match, `"${current.version}"`, 'The workspace')
    const decided = decide(current)
    if (decided === undefined) return toWorkspaceRecord(current)
    const row = await ctx.workspaces.update(workspace_id, current.version, decided.change, decided.audit)
    if (row !== undefined) return toWorkspaceRecord(row)
  }
  throw new DomainError('conflict', 'The workspace is being changed by others; try again.', { retry_after_s: 1 })
}
