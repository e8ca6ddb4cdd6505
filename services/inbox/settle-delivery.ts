import { isOutage } from '#core/errors.ts'
import type { Delivery, InboxContext, InboxRoute, Processed } from './inbox-route.ts'

/**
 * Processes a delivery that this process holds, and notes what became of it. Undefined when something it needs is away: it is in
 * the line again. Any other failure is noted and thrown.
 */
export async function settleDelivery<Answer>(
  ctx: InboxContext,
  route: InboxRoute<Answer>,
  delivery: Delivery,
): Promise<Processed<Answer> | undefined> {
  const { inbox } = ctx
  const processed = await route.process(ctx, delivery).catch(async (thrown: unknown) => {
    const { code, message } = inbox.toDomainError(thrown)
    // whoever died with an earlier attempt still holds what it needs
    const held = delivery.again && code === 'conflict'
    if (!isOutage(code) && !held) {
      await inbox.items.settle(delivery.id, { status: 'failed', error: { code, message } })
      throw thrown
    }
    // when this is not written either, its claim runs out
    await inbox.items.defer(delivery.id, { code, message }).catch(() => undefined)
    return undefined
  })
  if (processed === undefined) return undefined
  inbox.fault('inbox_processed')
  // it is done whether this is noted or not: a repeat finds that
  await inbox.items.settle(delivery.id, processed.end).catch(() => undefined)
  return processed
}
