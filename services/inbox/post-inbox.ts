import { DomainError } from '#core/errors.ts'
import { auditBy } from '../audit/read-audit.ts'
import { defineVerb } from '../define-verb.ts'
import { toInboxDraft } from './delivery-body.ts'
import { type InboxItem, toInboxItem } from './inbox-item.ts'
import { findInboxRoute, type InboxContext } from './inbox-route.ts'

/** Adds a delivery by hand; it is processed in its turn, in the name of its author. */
export const postInbox = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (
    ctx: InboxContext,
    input: { route: string; source?: string; headers: Record<string, string>; body: unknown },
  ): Promise<InboxItem> => {
    const { done } = ctx.attempt ?? {}
    if (done !== undefined) return await posted(ctx, done.subject.id)
    const { route, source, headers, body } = input
    if (findInboxRoute(ctx.inbox, route) === undefined) {
      const known = ctx.inbox.routes.map((each) => each.path).join(', ')
      throw new DomainError(
        'validation_failed',
        `body /route: nothing takes deliveries of ${route}; these are taken: ${known}`,
        {
          errors: [{ pointer: '/route', loc: ['route'], msg: `is not one of ${known}`, type: 'custom' }],
        },
      )
    }
    const id = ctx.ids.next('delivery')
    const draft = await toInboxDraft(ctx, {
      id,
      route,
      ...(source !== undefined && { source }),
      headers,
      body,
      text: JSON.stringify(body),
      again: false,
      replay: false,
    })
    const row = await ctx.inbox.items.add(draft, false, [
      auditBy(ctx, {
        category: 'trigger',
        action: 'inbox.posted',
        workspace_id: ctx.workspace_id,
        subject: { type: 'delivery', id },
        data: { route, body_digest: draft.body_digest },
      }),
    ])
    ctx.inbox.wake()
    return toInboxItem(row)
  },
)

async function posted({ inbox, workspace_id }: InboxContext, id: string): Promise<InboxItem> {
  const [row] = await inbox.items.select({ workspace_id, ids: [id] }, 1)
  if (row === undefined) throw new DomainError('not_found', 'the delivery was added, and its retention has ended')
  return toInboxItem(row)
}
