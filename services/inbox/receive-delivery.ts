import { toInboxDraft } from './delivery-body.ts'
import type { Delivery, InboxContext, InboxRoute, Received } from './inbox-route.ts'
import { settleDelivery } from './settle-delivery.ts'

/**
 * Commits a delivery, then processes it at once. What cannot be done now (`defer`, others that wait, a dependency that is away)
 * is done later by anyone who drains the inbox; the sender is told `received`.
 */
export async function receiveDelivery<Answer extends object>(
  ctx: InboxContext,
  route: InboxRoute<Answer>,
  delivery: Delivery,
  options: { defer: boolean },
): Promise<(Answer & { delivery_id: string }) | Received> {
  const { inbox } = ctx
  const { claim } = await inbox.items.add(await toInboxDraft(ctx, delivery), !options.defer)
  inbox.fault('inbox_committed')
  const processed = claim === null ? undefined : await settleDelivery(ctx, route, { ...delivery, claim })
  if (processed !== undefined) return { ...processed.answer, delivery_id: delivery.id }
  inbox.wake()
  return { delivery_id: delivery.id, outcome: 'received', results: [] }
}
