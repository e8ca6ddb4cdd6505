import { DomainError } from '#core/errors.ts'
import type { Workspace, WorkspaceDraft } from '#core/workspace/schema.ts'
import { defineVerb } from '../define-verb.ts'
import { mustBeKnown } from './check-default-environment.ts'
import { toWorkspaceRecord, type WorkspaceContext, workspaceAudit } from './workspace-record.ts'

/** Makes a workspace. Anyone who may enter only some workspaces makes none, as it would be out of their own reach. */
export const createWorkspace = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: WorkspaceContext, draft: WorkspaceDraft): Promise<Workspace> => {
    const made = ctx.attempt?.done && (await ctx.workspaces.find(ctx.attempt.done.subject.id))
    if (made !== undefined) return toWorkspaceRecord(made)
    if (ctx.actor.workspaces !== '*') {
      throw new DomainError('forbidden', 'Making a workspace needs a user of all workspaces.')
    }
    if (draft.default_environment !== undefined) mustBeKnown(ctx, draft.default_environment, draft.slug)
    const id = ctx.ids.next('workspace')
    const workspace = {
      id,
      slug: draft.slug,
      name: draft.name,
      default_environment: draft.default_environment ?? 'development',
      limits: limitsOf(draft),
    }
    const { id: _id, ...data } = workspace
    const row = await ctx.workspaces.create(
      workspace,
      workspaceAudit(ctx, id, { action: 'workspace.created', data: { ...data, limits: { ...data.limits } } }),
    )
    if (row === undefined) throw new DomainError('conflict', `There is a workspace ${draft.slug} already.`)
    return toWorkspaceRecord(row)
  },
)

/** Limits without the absent ones. */
export function limitsOf({ limits }: Pick<WorkspaceDraft, 'limits'>) {
  return {
    ...(limits?.realtime !== undefined && { realtime: limits.realtime }),
    ...(limits?.background !== undefined && { background: limits.background }),
    ...(limits?.daily_usd !== undefined && { daily_usd: limits.daily_usd }),
  }
}
