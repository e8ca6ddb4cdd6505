import { isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { Workspace, WorkspaceDraft } from '#core/workspace/schema.ts'
import { defineVerb } from '../define-verb.ts'
import { toWorkspaceRecord, type WorkspaceContext, workspaceAudit } from './workspace-record.ts'

/** as many as a person reads in one sentence */
const MAX_NAMED = 20

/** Makes a workspace. Anyone who may enter only some workspaces makes none, as it would be out of their own reach. */
export const createWorkspace = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: WorkspaceContext, draft: WorkspaceDraft): Promise<Workspace> => {
    const made = ctx.attempt?.done && (await ctx.workspaces.find(ctx.attempt.done.subject.id))
    if (made !== undefined) return toWorkspaceRecord(made)
    if (ctx.actor.workspaces !== '*') {
      throw new DomainError('forbidden', 'Making a workspace needs a user of all workspaces.')
    }
    if (draft.default_environment !== undefined) mustBeKnownEnvironment(ctx, draft.default_environment, draft.slug)
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

/**
 * Throws `validation_failed`, with the names there are, for a default environment that does not exist. It may be granted to the workspace
 * afterwards; who may enter only some workspaces is told of none but those that are granted.
 */
export function mustBeKnownEnvironment(
  { actor, environments }: Pick<WorkspaceContext, 'actor' | 'environments'>,
  name: string,
  slug: string,
): void {
  const known = environments
    .list()
    .filter((each) => actor.workspaces === '*' || isGranted(each, slug))
    .map((each) => each.name)
  if (known.includes(name)) return
  const msg = `there is no environment ${name}; known here: ${known.slice(0, MAX_NAMED).join(', ') || 'none'}`
  throw new DomainError('validation_failed', msg, {
    errors: [{ pointer: '/default_environment', loc: ['default_environment'], msg, type: 'unknown_environment' }],
  })
}
