import { DomainError } from '#core/errors.ts'
import type { SavedView, ViewName } from '#core/view/schema.ts'
import type { SavedViewStore, ViewOwner } from '#store/saved-views.ts'
import { auditBy } from '../audit/read-audit.ts'
import { limitReached } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'

type ViewContext = ServiceContext & { views: SavedViewStore }

/** As many views as a person keeps in a workspace. */
const MAX_VIEWS = 50

/** Lists the caller's own views of a page, by name. */
export async function listViews(
  ctx: Pick<ServiceContext, 'actor' | 'workspace_id'> & { views: Pick<SavedViewStore, 'list'> },
  page: SavedView['page'],
): Promise<SavedView[]> {
  return await ctx.views.list(ownerOf(ctx), page)
}

/** Keeps filters under a name, in place of those that have it. */
export const saveView = defineVerb(
  { role: 'viewer', access: 'write', scope: 'workspace' },
  async (ctx: ViewContext, view: SavedView): Promise<SavedView> => {
    const isSaved = await ctx.views.save(
      ownerOf(ctx),
      view,
      MAX_VIEWS,
      viewAudit(ctx, { action: 'view.saved', ...view }),
    )
    if (!isSaved) throw limitReached(MAX_VIEWS, 'saved views')
    return view
  },
)

export const deleteView = defineVerb(
  { role: 'viewer', access: 'write', scope: 'workspace' },
  async (ctx: ViewContext, named: ViewName): Promise<void> => {
    const isGone = await ctx.views.remove(ownerOf(ctx), named, viewAudit(ctx, { action: 'view.deleted', ...named }))
    if (!isGone) throw new DomainError('not_found', `You have no view of this name for ${named.page}.`)
  },
)

function ownerOf({ workspace_id, actor }: Pick<ServiceContext, 'actor' | 'workspace_id'>): ViewOwner {
  return { workspace_id, user_id: actor.id }
}

function viewAudit(
  ctx: ViewContext,
  { action, page, name, ...rest }: { action: string; search?: SavedView['search'] } & ViewName,
) {
  return auditBy(ctx, {
    category: 'config',
    action,
    workspace_id: ctx.workspace_id,
    subject: { type: 'view', id: `${page}/${name}` },
    data: { page, name, ...rest },
  })
}
